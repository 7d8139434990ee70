"""Steps of a training loop: the outermost calls of a tf.function, or of Strategy.run, in which collectives ran.

Both pass a context manager of TensorFlow's own, the profiler's Trace and the strategy's scope, so tracebacks stay as
they are."""

import sys
import threading
from time import monotonic_ns  # the clock of the records

from lockstep_python import steps


class _Runs(threading.local):
    """Those that are open in a thread, within one another."""

    depth = 0
    begin_ns = 0
    calls = 0


class RunSteps:
    def __init__(self, session):
        self._calls, self._tell_step = session.native.calls, session.native.tell_step
        self._main = threading.main_thread().ident
        self._runs = _Runs()

    def begin(self):
        runs = self._runs
        runs.depth += 1
        if runs.depth == 1:
            runs.begin_ns, runs.calls = monotonic_ns(), self._calls.value

    def end(self, failed):
        runs = self._runs
        runs.depth -= 1
        if runs.depth == 0 and not failed and self._calls.value != runs.calls and not steps.told_above():
            if threading.get_ident() == self._main:
                self._tell_step(steps.next_number(), runs.begin_ns, monotonic_ns())


def watch_functions(session, trace):
    told = _run_steps(session)
    if told is None:
        return
    enter, leave = trace.Trace.__enter__, trace.Trace.__exit__

    def __enter__(self):
        told.begin()
        return enter(self)

    def __exit__(self, error, value, traceback):
        result = leave(self, error, value, traceback)
        told.end(error is not None)
        return result

    trace.Trace.__enter__, trace.Trace.__exit__ = __enter__, __exit__


def watch_strategies(session, distribute_lib):
    """Scopes are entered for much else: only those of Strategy.run count."""
    told = _run_steps(session)
    if told is None:
        return
    scope, run = distribute_lib._CurrentDistributionContext, distribute_lib.StrategyBase.run.__code__
    enter, leave = scope.__enter__, scope.__exit__

    def __enter__(self):
        if sys._getframe(1).f_code is run:
            told.begin()
        return enter(self)

    def __exit__(self, error, value, traceback):
        result = leave(self, error, value, traceback)
        if sys._getframe(1).f_code is run:
            told.end(error is not None)
        return result

    scope.__enter__, scope.__exit__ = __enter__, __exit__


def _run_steps(session):
    if session.run_steps is None and session.native is not None:
        session.run_steps = RunSteps(session)
    return session.run_steps
