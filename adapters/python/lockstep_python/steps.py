"""Steps of training are told by the highest layer that knows them, and counted once: while Keras fits a model, what
TensorFlow or an optimizer sees below it are no steps of their own."""

from lockstep_python import stops
from lockstep_python.recorder import PAYLOAD_OFF, PHASE_BEGIN, PHASE_END

_fits = 0  # of Keras, within one another
_number = 0


def begin_fit():
    global _fits
    _fits += 1


def end_fit():
    global _fits
    _fits = max(0, _fits - 1)


def told_above():
    return _fits > 0


def next_number():
    global _number
    _number += 1
    return _number


def raise_number(number):
    """Steps up to this one have been told."""
    global _number
    _number = max(_number, number)


def last_number():
    return _number


def tell_ended(mark, begin_ns, end_ns):
    """A step that has just ended; where it began is not known when `begin_ns` is 0."""
    number = next_number()
    if begin_ns:
        mark(PHASE_BEGIN, number, begin_ns)
    mark(PHASE_END, number, end_ns)


def keep_end(library, number, state):
    """With payload: what is called from now on belongs to the next step. `state`: what the rank has learned."""
    if library.payload_mode() != PAYLOAD_OFF:
        state.keep(number)
        stops.after_step(number, state.learned)
