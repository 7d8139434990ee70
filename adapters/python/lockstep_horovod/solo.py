"""Horovod in a replay: it is never started, and its C functions answer for it what they answered in the recorded run."""

import ctypes
import os
import struct

# What is kept of hvd.init: the answers of C functions of these names.
LAYOUT = ("horovod_local_rank", "horovod_local_size", "horovod_cross_rank", "horovod_cross_size", "horovod_is_homogeneous",
          "horovod_mpi_enabled", "horovod_gloo_enabled", "horovod_mpi_threads_supported")
_PACKED = struct.Struct(f"={len(LAYOUT)}i")
NOT_STARTED, UNKNOWN_SET, FOREIGN_SET, EXISTING_SET = -1, -3, -4, -6  # of Horovod's operations.cc


def pack_layout(library):
    """Without MPI, Horovod must not be asked for MPI's threads."""
    names = LAYOUT if library.horovod_mpi_enabled() else LAYOUT[:-1]
    answers = [getattr(library, name)() for name in names]
    return _PACKED.pack(*answers, *[0] * (len(LAYOUT) - len(answers)))


def layout_bytes():
    return _PACKED.size


class Solo:
    """The answers for `library`, Horovod's as ctypes opened it."""

    def __init__(self, library):
        self.rank, self.size = int(os.environ["LOCKSTEP_REPLAY_RANK"]), int(os.environ["LOCKSTEP_REPLAY_WORLD_SIZE"])
        self._sets = {0: list(range(self.size))}
        self._library, self._is_started = library, False
        for name in ("is_initialized", "rank", "size", "shutdown", "number_of_process_sets", "process_set_ids",
                     "process_set_ranks", "process_set_rank", "process_set_size", "add_process_set", "remove_process_set",
                     "start_timeline", "stop_timeline"):
            setattr(library, f"horovod_{name}", getattr(self, f"_{name}"))

    def start(self, arguments):
        """As horovod_init is called: the ranks of a part and their number; the ranks of all process sets, their sizes, their
        number."""
        ranks, sizes, count = arguments[2:5]
        self._sets = {0: list(range(self.size))}
        begin = 0
        for number in range(count.value):
            self._register(ranks[begin:begin + sizes[number]])
            begin += sizes[number]
        self._is_started = True

    def answer(self, layout):
        for name, value in zip(LAYOUT, _PACKED.unpack(layout)):
            setattr(self._library, name, lambda value=value: value if self._is_started else NOT_STARTED)

    def members(self, number):
        return self._sets.get(number, [])

    def _register(self, ranks):
        number = max(self._sets) + 1
        self._sets[number] = list(ranks)
        return number

    def _is_initialized(self):
        return int(self._is_started)

    def _rank(self):
        return self.rank if self._is_started else NOT_STARTED

    def _size(self):
        return self.size if self._is_started else NOT_STARTED

    def _shutdown(self):
        self._is_started = False

    def _number_of_process_sets(self):
        return len(self._sets)

    def _process_set_ids(self, room):
        room[:] = list(self._sets)

    def _process_set_ranks(self, number, room):
        room[:] = self._sets[number.value]
        return 0

    def _process_set_rank(self, number):
        members = self._sets.get(number.value)
        if members is None:
            return UNKNOWN_SET
        return members.index(self.rank) if self.rank in members else FOREIGN_SET

    def _process_set_size(self, number):
        return len(self._sets[number.value]) if number.value in self._sets else UNKNOWN_SET

    def _add_process_set(self, ranks, count):
        wanted = sorted(ranks[:count.value])
        return EXISTING_SET if wanted in self._sets.values() else self._register(wanted)

    def _remove_process_set(self, number):
        return UNKNOWN_SET if self._sets.pop(number.value, None) is None else number.value

    def _start_timeline(self, *_):
        return 0

    def _stop_timeline(self):
        return 0


class Answers:
    """The same for the native half, as C functions."""

    def __init__(self, solo):
        number = ctypes.CFUNCTYPE(ctypes.c_int)
        of_set = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
        members = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int))

        def write_members(set_number, room):
            for place, rank in enumerate(solo.members(set_number)):
                room[place] = rank
            return 0

        self.functions = (number(lambda: solo.rank), number(lambda: solo.size),
                          of_set(lambda set_number: len(solo.members(set_number)) or UNKNOWN_SET), members(write_members))
