"""liblockstep.so through ctypes: the functions of include/lockstep/recorder.h that Python needs."""

import ctypes
import os
import re
from ctypes import c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

from lockstep_python import process_time

ABI = 1
HERE = os.path.dirname(os.path.abspath(__file__))
PHASE_BEGIN, PHASE_END, PHASE_INSTANT = 1, 2, 3
DONE_COMPLETED, DONE_STARTED, DONE_FAILED = 1, 2, 3
CALL_ASYNC, CALL_POSTED = 1, 4
PAYLOAD_OFF, PAYLOAD_KEEPS, PAYLOAD_SERVES = 0, 1, 2


class RankFacts(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("rank", c_int32), ("local_rank", c_int32), ("world_size", c_int32),
                ("restart", c_int32), ("reserved", c_uint32), ("framework", c_char_p), ("version", c_char_p)]


class CommunicatorFacts(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("member_count", c_uint32), ("members", ctypes.POINTER(c_int32)),
                ("rank_in_it", c_int32), ("reserved", c_uint32), ("name", c_char_p), ("description", c_char_p),
                ("backend", c_char_p)]


def communicator_facts(name, description, backend, members, rank_in_it):
    return CommunicatorFacts(ctypes.sizeof(CommunicatorFacts), len(members), (c_int32 * len(members))(*members),
                             rank_in_it, 0, name.encode(), description.encode(), backend.encode())


class TensorFacts(ctypes.Structure):
    _fields_ = [("data_type", c_uint32), ("dimension_count", c_uint32), ("dimensions", ctypes.POINTER(c_int64))]


class FrameFacts(ctypes.Structure):
    _fields_ = [("function", c_uint32), ("file", c_uint32), ("line", c_uint32)]


class Piece(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t)]


class CallFacts(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("communicator", c_uint32), ("sequence", c_uint64), ("time_ns", c_uint64),
                ("operation", c_uint8), ("reduce_op", c_uint8), ("data_type", c_uint8), ("flags", c_uint8),
                ("peer", c_int32), ("name", c_uint32), ("tensors", c_uint32), ("stack", c_uint32),
                ("reserved", c_uint32), ("payload_bytes", c_uint64), ("stream", c_uint64)]


class Ticket(ctypes.Structure):
    _fields_ = [("sequence", c_uint64), ("communicator", c_uint32), ("peer", c_int32), ("operation", c_uint8),
                ("reserved", c_uint8 * 7)]


class Served(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("source", c_int32), ("error", c_void_p), ("error_bytes", c_size_t),
                ("step", c_uint64)]


class ActivityFacts(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("activity", c_uint8), ("phase", c_uint8), ("reserved", c_uint16),
                ("number", c_uint64), ("time_ns", c_uint64), ("name", c_uint32), ("reserved2", c_uint32)]


def words(kind):
    """The numbers of vocabulary.h, read from the header itself: {"all_reduce": 1, ...}."""
    with open(os.path.join(include_folder(), "lockstep", "vocabulary.h"), encoding="utf-8") as header:
        text = header.read()
    block = text.split(f"#define LOCKSTEP_{kind}(X)")[1].split("\n\n")[0]
    return {word: int(number) for number, word in re.findall(r'X\(\w+, (\d+), "(\w+)"\)', block)}


def include_folder():
    """In the source tree and where it is installed."""
    for folder in ("../../../include", "../../include"):
        path = os.path.normpath(os.path.join(HERE, folder))
        if os.path.exists(os.path.join(path, "lockstep", "recorder.h")):
            return path
    raise OSError("the recorder's headers are missing")


class Library:
    """The recorder in this process: the one that was preloaded, or the one that LOCKSTEP_LIBRARY names."""

    def __init__(self):
        self._library = load()
        if self._library.lockstep_recorder_abi() < ABI:
            raise OSError("the recorder is older than this adapter")
        self._library.lockstep_now_ns.restype = c_uint64
        self.now_ns = self._library.lockstep_now_ns
        self.is_recording = self._library.lockstep_is_recording
        self._mark_activity = self._library.lockstep_mark_activity
        self._activities = words("ACTIVITIES")

    def start_rank(self, framework, version, rank, world_size, local_rank=-1, restart=-1):
        facts = _rank_facts(framework, version, rank, world_size, local_rank, restart)
        refused = self._library.lockstep_start_rank(ctypes.byref(facts))
        if not refused:
            self._tell_when_the_process_began()
        return refused

    def _tell_when_the_process_began(self):
        try:
            self.set_attribute("process began", str(process_time.began_ns()))
        except (OSError, ValueError, IndexError):
            pass  # the record begins when the framework does: readers take that

    def restart_rank(self, framework, version, rank, world_size, local_rank, restart):
        """Whatever was interned or defined before is not known any more."""
        facts = _rank_facts(framework, version, rank, world_size, local_rank, restart)
        return self._library.lockstep_restart_rank(ctypes.byref(facts))

    def set_attribute(self, key, value):
        key, value = key.encode(), value.encode(errors="replace")[:1000]
        self._library.lockstep_set_attribute(key, c_size_t(len(key)), value, c_size_t(len(value)))

    def intern(self, text):
        text = text.encode(errors="replace")
        return self._library.lockstep_intern_string(text, c_size_t(len(text)))

    def define_communicator(self, facts):
        return self._library.lockstep_define_communicator(ctypes.byref(facts))

    def intern_tensors(self, inputs, outputs):
        """Both are lists of (data type, shape)."""
        facts = (TensorFacts * (len(inputs) + len(outputs)))()
        for fact, (data_type, shape) in zip(facts, inputs + outputs):
            fact.data_type, fact.dimension_count = data_type, len(shape)
            fact.dimensions = (c_int64 * len(shape))(*shape)
        return self._library.lockstep_intern_tensors(facts, c_uint16(len(inputs)), c_uint16(len(outputs)))

    def intern_stack(self, frames):
        """A list of (id of the function's name, id of the file's, line), innermost first."""
        facts = (FrameFacts * len(frames))(*frames)
        return self._library.lockstep_intern_stack(facts, c_uint32(len(frames)))

    def begin_call(self, **facts):
        ticket = Ticket()
        self._library.lockstep_begin_call(ctypes.byref(CallFacts(size=ctypes.sizeof(CallFacts), **facts)),
                                          ctypes.byref(ticket))
        return ticket

    def mark_call(self, ticket, status, error=""):
        self._library.lockstep_mark_call(ctypes.byref(ticket), c_uint8(status), self.intern(error) if error else 0,
                                         c_uint64(0))

    def payload_mode(self):
        return self._library.lockstep_payload_mode()

    def keep_state(self, step, names, pieces):
        """A list of (address, bytes), and as many names, one to a line."""
        facts = (Piece * len(pieces))(*pieces)
        self._library.lockstep_keep_state(c_uint64(step), names, c_size_t(len(names)), facts, c_size_t(len(pieces)))

    def begin_step(self):
        self._library.lockstep_begin_step()

    def keep_checkpoint(self, path):
        """The job has saved its state there."""
        path = path.encode(errors="replace")
        self._library.lockstep_keep_checkpoint(path, c_size_t(len(path)))

    def recorded_result(self, communicator, operation, sequence):
        """In a replay: the bytes of the first output of a recorded collective; None when there is no such one."""
        ticket = Ticket(sequence=sequence, communicator=communicator, peer=-1, operation=operation)
        size = c_uint64(0)
        if self._library.lockstep_served_bytes(ctypes.byref(ticket), c_size_t(0), ctypes.byref(size)) != 0:
            return None
        result = ctypes.create_string_buffer(size.value)
        room, served = Piece(ctypes.addressof(result), size.value), Served(size=ctypes.sizeof(Served))
        status = self._library.lockstep_serve_call(ctypes.byref(ticket), ctypes.byref(room), c_size_t(1),
                                                   ctypes.byref(served))
        return result.raw if status == 0 else None

    def activity(self, word):
        """A function that marks it: of one thread only, because the facts are kept to be filled again."""
        facts = ActivityFacts(size=ctypes.sizeof(ActivityFacts), activity=self._activities[word])
        reference, mark_activity = ctypes.byref(facts), self._mark_activity

        def mark(phase, number=0, time_ns=0):
            facts.phase, facts.number, facts.time_ns = phase, number, time_ns
            mark_activity(reference)

        return mark

    def mark_activity(self, word, phase):
        """From any thread."""
        self.activity(word)(phase)


def _rank_facts(framework, version, rank, world_size, local_rank, restart):
    return RankFacts(ctypes.sizeof(RankFacts), rank, local_rank, world_size, restart, 0, framework.encode(), version.encode())


def load():
    process = ctypes.CDLL(None)
    if hasattr(process, "lockstep_recorder_abi"):
        return process
    return ctypes.CDLL(_path(), mode=ctypes.RTLD_GLOBAL)


def _path():
    named = os.environ.get("LOCKSTEP_LIBRARY")
    places = [named] if named else [os.path.join(HERE, *place) for place in (
        ("..", "..", "liblockstep.so"), ("..", "..", "..", "build", "release", "recorder", "liblockstep.so"))]
    return _first_of(places)


def library_of_adapter(name):
    """The path of liblockstep_NAME.so: beside liblockstep.so, as it is installed, or where it was built."""
    file = f"liblockstep_{name}.so"
    recorder = os.path.dirname(_path())
    return _first_of([os.path.join(recorder, file), os.path.join(recorder, "..", "adapters", name, file)])


def _first_of(places):
    for place in places:
        if os.path.exists(place):
            return os.path.abspath(place)
    raise OSError(f"{os.path.basename(places[0])} is missing; LOCKSTEP_LIBRARY names the place of liblockstep.so")
