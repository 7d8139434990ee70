"""Steps of a training loop: calls of a tf.function in which collectives ran. Every call of one is a Trace to the
profiler, a context manager that is passed anyway, so tracebacks stay as they are."""

import threading

from lockstep_python import steps


class _Open(threading.local):
    depth = 0
    begin_ns = 0
    calls = 0


def watch(session, trace):
    if session.native is None:
        return
    now_ns, calls, mark = session.library.now_ns, session.native.calls, session.library.activity("step")
    main = threading.main_thread().ident
    opened = _Open()
    enter, leave = trace.Trace.__enter__, trace.Trace.__exit__

    def __enter__(self):
        opened.depth += 1
        if opened.depth == 1:
            opened.begin_ns, opened.calls = now_ns(), calls()
        return enter(self)

    def __exit__(self, kind, value, traceback):
        result = leave(self, kind, value, traceback)
        opened.depth -= 1
        is_step = opened.depth == 0 and kind is None and calls() != opened.calls and not steps.told_above()
        if is_step and threading.get_ident() == main:
            steps.tell_ended(mark, opened.begin_ns, now_ns())
        return result

    trace.Trace.__enter__, trace.Trace.__exit__ = __enter__, __exit__
