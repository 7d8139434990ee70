"""What the coordinator of a parameter-server job has its workers do. TensorFlow times every function it runs on a
worker, with a context manager that is passed anyway.

Each is recorded as a message that the coordinator waits for from that worker, and as a step when it came back. The
worker's half is inside TensorFlow's server and leaves no record. A worker that answers that it has lost a parameter
server has answered: then the server's message is the one that never came."""

import re
import sys
import threading

from lockstep_python import recorder, steps

ERROR_BYTES = 512
_LOST = ("UnavailableError", "AbortedError", "DeadlineExceededError")  # others are of the function itself
_LOST_SERVER = re.compile(r"GRPC error information from remote target /job:ps/replica:\d+/task:(\d+)")
_EMPTY_LINES = ("Graph execution error", "Detected at node", "<stack traces", "root error")


class _Closure:
    def __init__(self, teller, worker, inner):
        self._teller, self._worker, self._inner = teller, worker, inner
        self._ticket, self._begin_ns = None, 0

    def __enter__(self):
        self._ticket, self._begin_ns = self._teller.begin(self._worker)
        return self._inner.__enter__()

    def __exit__(self, kind, value, traceback):
        result = self._inner.__exit__(kind, value, traceback)
        self._teller.end(self._ticket, self._begin_ns, value)
        return result


class _Teller:
    def __init__(self, session):
        self._library, self._cluster = session.library, session.cluster
        self._receive = recorder.words("OPERATIONS")["receive"]
        self._name = self._library.intern("closure")
        self._threads = threading.local()

    def begin(self, worker):
        return self._begin("worker", worker, f"closures of worker {worker}"), self._library.now_ns()

    def _begin(self, role, index, name):
        members = [self._cluster.rank, self._cluster.rank_of(role, index)]
        communicator = self._library.define_communicator(recorder.communicator_facts(name, "", "grpc", members, 0))
        return self._library.begin_call(communicator=communicator, operation=self._receive, peer=1, name=self._name)

    def end(self, ticket, begin_ns, error):
        is_lost = type(error).__name__ in _LOST
        server = _LOST_SERVER.search(str(error)) if is_lost else None
        if server is not None:
            lost = self._begin("ps", int(server[1]), f"variables of parameter server {server[1]}")
            self._library.mark_call(lost, recorder.DONE_FAILED, _text_of(error))
        if is_lost and server is None:
            self._library.mark_call(ticket, recorder.DONE_FAILED, _text_of(error))
        else:
            self._library.mark_call(ticket, recorder.DONE_COMPLETED)
        if error is None:
            steps.tell_ended(self._step_mark(), begin_ns, self._library.now_ns())

    def _step_mark(self):
        """Marks are of one thread, and each worker has a thread of its own."""
        if not hasattr(self._threads, "mark"):
            self._threads.mark = self._library.activity("step")
        return self._threads.mark


def _text_of(error):
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not any(words in line for words in _EMPTY_LINES)]
    return f"{type(error).__name__}: " + "\n".join(told)[:ERROR_BYTES]


class _WatchedMetrics:
    """The module of the timers as the coordinator sees it."""

    def __init__(self, teller, metrics):
        self._teller, self._metrics = teller, metrics

    def __getattr__(self, name):
        return getattr(self._metrics, name)

    def monitored_timer(self, metric, *arguments, **keywords):
        inner = self._metrics.monitored_timer(metric, *arguments, **keywords)
        worker = sys._getframe(1).f_locals.get("worker") if metric == "closure_execution" else None
        index = getattr(worker, "worker_index", None)
        return inner if index is None else _Closure(self._teller, index, inner)


def watch(session, cluster_coordinator):
    cluster_coordinator.metric_utils = _WatchedMetrics(_Teller(session), cluster_coordinator.metric_utils)
