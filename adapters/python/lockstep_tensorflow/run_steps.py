"""Steps of a training loop: the outermost calls of a tf.function, or of Strategy.run, in which collectives ran.

Both pass a context manager of TensorFlow's own, the profiler's Trace and the strategy's scope, so tracebacks stay as
they are."""

import sys
import threading
from threading import get_ident
from time import monotonic_ns  # the clock of the records

from lockstep_python import steps
from lockstep_tensorflow.state import State


class RunSteps:
    """Those of the main thread: a step that another one makes has no place in their order."""

    def __init__(self, library, calls, tell_step):
        """`calls.value`: how many collectives have begun. `tell_step` takes a step's number, begin and end."""
        self._library, self._calls, self._tell_step = library, calls, tell_step
        self._state = State(library)
        self._main = threading.main_thread().ident
        self._depth = self._begin_ns = self._calls_before = 0

    def begin(self):
        if get_ident() != self._main:
            return
        if self._depth == 0:
            self._begin_ns, self._calls_before = monotonic_ns(), self._calls.value
        self._depth += 1

    def end(self, failed):
        if get_ident() != self._main:
            return
        self._depth -= 1
        if self._depth == 0 and not failed and self._calls.value != self._calls_before and not steps.told_above():
            self._tell_step(steps.next_number(), self._begin_ns, monotonic_ns())
            steps.keep_end(self._library, steps.last_number(), self._state)


def watch_functions(session, trace):
    told = _run_steps(session)
    if told is not None:
        tell_function_calls(told, trace)


def tell_function_calls(told, trace):
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
        session.run_steps = RunSteps(session.library, session.native.calls, session.native.tell_step)
    return session.run_steps
