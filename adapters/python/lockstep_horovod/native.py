"""liblockstep_horovod.so: numbers calls by the names of their tensors, and sees TensorFlow's kernels."""

import ctypes
from ctypes import c_char_p, c_int, c_int32, c_uint8, c_uint32, c_uint64, c_void_p

from lockstep_python import recorder


class Native:
    def __init__(self):
        # The interpreter's lock is kept: each call takes less than giving it away would.
        library = ctypes.PyDLL(recorder.library_of_adapter("horovod"))
        self._start, self.stop = library.lockstep_horovod_start, library.lockstep_horovod_stop
        self._start.argtypes = [c_void_p]
        self._start_alone = library.lockstep_horovod_start_alone
        self.wants_stack = library.lockstep_wants_stack  # of the recorder, which comes with it
        self._watch_tensorflow = library.lockstep_horovod_watch_tensorflow
        self._watch_tensorflow.argtypes, self._watch_tensorflow.restype = [c_void_p], c_char_p
        self.reduce_op = library.lockstep_horovod_reduce_op
        self.reduce_op.argtypes = [c_int]
        self.begin_call = library.lockstep_horovod_begin_call
        self.begin_call.argtypes = [c_int32, c_char_p, c_void_p, c_void_p]
        library.lockstep_horovod_exchanges.restype = c_void_p
        self.exchanges = c_uint64.from_address(library.lockstep_horovod_exchanges())  # calls but broadcasts, barriers and joins
        self.mark_call = library.lockstep_horovod_mark_call
        self.mark_call.argtypes = [c_void_p, c_uint8, c_uint32]

    def start(self, horovod, answers=None):
        """`horovod`: its library, as ctypes opened it. `answers`: in a replay, who is asked instead of it for its rank, for the
        number of ranks, for the size of a process set and for its members."""
        if self._start(horovod._handle) != 0:
            raise OSError("Horovod's library has not the functions that are needed")
        if answers is not None:
            self._start_alone(*answers)

    def watch_tensorflow(self, horovod):
        failure = self._watch_tensorflow(horovod._handle)
        if failure is not None:
            raise OSError(failure.decode())
