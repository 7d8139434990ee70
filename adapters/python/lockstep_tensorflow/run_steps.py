"""Steps of a training loop: the outermost calls of a tf.function, or of Strategy.run, in which collectives ran.

Both pass a context manager of TensorFlow's own, the profiler's Trace and the strategy's scope, so tracebacks stay as
they are."""

import sys
import threading

from lockstep_python import steps


class _Runs(threading.local):
    """Those that are open in a thread, within one another."""

    depth = 0
    begin_ns = 0
    calls = 0


class RunSteps:
    def __init__(self, session):
        self._now_ns, self._calls = session.library.now_ns, session.native.calls
        self._mark = session.library.activity("step")
        self._main = threading.main_thread().ident
        self._runs = _Runs()

    def begin(self):
        runs = self._runs
        runs.depth += 1
        if runs.depth == 1:
            runs.begin_ns, runs.calls = self._now_ns(), self._calls()

    def end(self, failed):
        runs = self._runs
        runs.depth -= 1
        if runs.depth == 0 and not failed and self._calls() != runs.calls and not steps.told_above():
            if threading.get_ident() == self._main:
                steps.tell_ended(self._mark, runs.begin_ns, self._now_ns())


def watch_functions(session, trace):
    _watch(trace.Trace, session, lambda caller: True)


def watch_strategies(session, distribute_lib):
    run = distribute_lib.StrategyBase.run.__code__
    _watch(distribute_lib._CurrentDistributionContext, session, lambda caller: caller.f_code is run)


def _watch(kind, session, is_run):
    if session.native is None:
        return
    if session.run_steps is None:
        session.run_steps = RunSteps(session)
    told = session.run_steps
    enter, leave = kind.__enter__, kind.__exit__

    def __enter__(self):
        if is_run(sys._getframe(1)):
            told.begin()
        return enter(self)

    def __exit__(self, error, value, traceback):
        result = leave(self, error, value, traceback)
        if is_run(sys._getframe(1)):
            told.end(failed=error is not None)
        return result

    kind.__enter__, kind.__exit__ = __enter__, __exit__
