"""What the coordinator of a parameter-server job has its workers do. TensorFlow times every function it runs on a
worker, and the fetching of its result behind that, with a context manager that is passed anyway.

Each is recorded as a message that the coordinator waits for from that worker, and a function as a step when it came back.
The worker's half is inside TensorFlow's server and leaves no record. A worker that answers that it has lost a parameter
server has answered: then the server's message is the one that never came."""

import re
import sys
import threading

from lockstep_python import recorder, steps

ERROR_BYTES = 512
# TensorFlow's name of the timer: (what the message is, the variable of the timer's caller that is the worker)
_TIMERS = {"closure_execution": ("closure", "worker"), "remote_value_fetch": ("result of a closure", "self")}
_LOST = ("UnavailableError", "AbortedError", "DeadlineExceededError")  # others are of the function itself
_LOST_SERVER = re.compile(r"GRPC error information from remote target /job:ps/replica:\d+/task:(\d+)")
_EMPTY_LINES = ("Graph execution error", "Detected at node", "<stack traces", "root error")


class _Timed:
    def __init__(self, teller, worker, what, inner):
        self._teller, self._worker, self._what, self._inner = teller, worker, what, inner
        self._ticket, self._begin_ns = None, 0

    def __enter__(self):
        self._ticket, self._begin_ns = self._teller.begin(self._worker, self._what)
        return self._inner.__enter__()

    def __exit__(self, kind, value, traceback):
        result = self._inner.__exit__(kind, value, traceback)
        self._teller.end(self._ticket, self._begin_ns, self._what, value)
        return result


class _Teller:
    def __init__(self, session):
        self._library, self._cluster = session.library, session.cluster
        self._receive = recorder.words("OPERATIONS")["receive"]
        self._names = {what: self._library.intern(what) for what, _ in _TIMERS.values()}
        self._threads = threading.local()

    def begin(self, worker, what):
        return self._begin("worker", worker, f"closures of worker {worker}", what), self._library.now_ns()

    def _begin(self, role, index, name, what):
        members = [self._cluster.rank, self._cluster.rank_of(role, index)]
        communicator = self._library.define_communicator(recorder.communicator_facts(name, "", "grpc", members, 0))
        return self._library.begin_call(communicator=communicator, operation=self._receive, peer=1,
                                        name=self._names[what])

    def end(self, ticket, begin_ns, what, error):
        is_lost = type(error).__name__ in _LOST
        server = _LOST_SERVER.search(str(error)) if is_lost else None
        if server is not None:
            lost = self._begin("ps", int(server[1]), f"variables of parameter server {server[1]}", what)
            self._library.mark_call(lost, recorder.DONE_FAILED, _text_of(error))
        if is_lost and server is None:
            self._library.mark_call(ticket, recorder.DONE_FAILED, _text_of(error))
        else:
            self._library.mark_call(ticket, recorder.DONE_COMPLETED)
        if error is None and what == "closure":
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
        what, variable = _TIMERS.get(metric, (None, None))
        index = getattr(sys._getframe(1).f_locals.get(variable), "worker_index", None)
        return inner if index is None else _Timed(self._teller, index, what, inner)


def watch(session, cluster_coordinator):
    cluster_coordinator.metric_utils = _WatchedMetrics(_Teller(session), cluster_coordinator.metric_utils)
