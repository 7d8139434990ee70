"""What a rank has learned by the end of a step: every variable, summed one by one, and what a predicate may ask for.

Variables are read where they lie, outside of any tape, and let go before the next step: one that somebody holds would be copied
when it is changed."""

from time import monotonic_ns

from lockstep_python import notes, payload
from lockstep_tensorflow import variables

NOT_TRAINED = " (not trained)"  # behind a name: ranks may differ in it, as in the sums of their metrics
SMALL_BYTES, SMALL_COUNT = 4 << 20, 32
SHARE = 100  # of the time may be spent on state that is not small


class State:
    def __init__(self, library):
        self._library = library
        self._next_ns = 0

    def keep(self, step):
        begin_ns = monotonic_ns()
        names, arrays, is_small = [], [], True
        try:
            if begin_ns >= self._next_ns or payload.is_replay():
                names, arrays, is_small = _read_all()
        except Exception as error:
            notes.tell(f"the state after step {step} is not summed: {error!r}")
        places = [(array.__array_interface__["data"][0], array.nbytes) for array in arrays]
        self._library.keep_state(step, "\n".join(names).encode(errors="replace"), places)
        if not is_small:
            end_ns = monotonic_ns()
            self._next_ns = end_ns + SHARE * (end_ns - begin_ns)

    def learned(self):
        every = variables.by_name()
        return {"parameters": {name: variable for name, variable in every.items() if _is_parameter(variable)}, "variables": every}


def _is_parameter(variable):
    """Counters of Keras 2 call themselves trainable too."""
    return variable.trainable and (variable.dtype.is_floating or variable.dtype.is_complex)


def _read_all():
    """Names, contents, and whether reading them costs next to nothing."""
    from tensorflow.python.framework import ops
    from tensorflow.python.ops.gen_resource_variable_ops import read_variable_op
    names, arrays, is_small = [], [], True
    with ops.init_scope():
        for name, variable in variables.by_name().items():
            array = _read(variable, read_variable_op)
            if array is not None:
                names.append(name if _is_parameter(variable) else name + NOT_TRAINED)
                arrays.append(array)
                is_small = is_small and "CPU" in variable.device
    is_small = is_small and len(arrays) <= SMALL_COUNT and sum(array.nbytes for array in arrays) <= SMALL_BYTES
    return names, arrays, is_small


def _read(variable, read_variable_op):
    """None where nothing was assigned yet, and of text, which does not lie in one piece."""
    import numpy
    try:
        array = numpy.asarray(read_variable_op(variable._handle, variable._dtype)._numpy())
    except Exception:
        return None
    return None if array.dtype.hasobject else array
