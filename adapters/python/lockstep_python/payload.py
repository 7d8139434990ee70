"""What calls were given and gave back, kept and served through ctypes (include/lockstep/payload.h), for adapters whose calls
Python sees."""

import ctypes
import os
from ctypes import c_int32, c_size_t, c_uint64

from lockstep_python import recorder

SERVED, FAILURE, UNKNOWN, OPEN, MISFIT, NOT_KEPT = range(6)  # lockstep_serve_status
_WORDS = {
    OPEN: "the recording ends here: {call} was made and never seen to end",
    MISFIT: "off the record: {call} had tensors of other sizes in the recorded run",
    NOT_KEPT: "the recording ends here: the result of {call} was not kept",
    UNKNOWN: "off the record: the recorded rank did not make {call}; its recording ended before, or this program does "
             "something else",
}


def is_replay():
    return bool(os.environ.get("LOCKSTEP_REPLAY"))


class NotServed(RuntimeError):
    """A call whose result is not in the recording, or that failed in the recorded run."""


class Payload:
    """Places are (address, bytes)."""

    def __init__(self):
        self._library = recorder.load()

    def keep_input(self, ticket, places):
        self._library.lockstep_keep_input(ctypes.byref(ticket), _pieces(places), c_size_t(len(places)))

    def keep_output(self, ticket, places):
        self._library.lockstep_keep_output(ctypes.byref(ticket), _pieces(places), c_size_t(len(places)), c_int32(-1))

    def keep_failure(self, ticket, error):
        text = str(error).encode(errors="replace")
        self._library.lockstep_keep_failure(ctypes.byref(ticket), text, c_size_t(len(text)))

    def sizes(self, ticket, name, count):
        """Of the recorded outputs, in bytes."""
        return [self._size(ticket, name, output) for output in range(count)]

    def is_known(self, communicator, operation, number):
        """Whether the recorded rank made this call."""
        ticket = recorder.Ticket(sequence=number, communicator=communicator, peer=-1, operation=operation)
        size = c_uint64(0)
        return self._library.lockstep_served_bytes(ctypes.byref(ticket), c_size_t(0), ctypes.byref(size)) != UNKNOWN

    def serve(self, ticket, name, places):
        """The recorded outputs go to these places."""
        served = recorder.Served(size=ctypes.sizeof(recorder.Served))
        status = self._library.lockstep_serve_call(ctypes.byref(ticket), _pieces(places), c_size_t(len(places)),
                                                   ctypes.byref(served))
        if status == FAILURE:
            raise NotServed(ctypes.string_at(served.error, served.error_bytes).decode(errors="replace"))
        if status != SERVED:
            raise NotServed(why_not(status, ticket.sequence, name))

    def _size(self, ticket, name, output):
        size = c_uint64(0)
        status = self._library.lockstep_served_bytes(ctypes.byref(ticket), c_size_t(output), ctypes.byref(size))
        if status == FAILURE:
            self.serve(ticket, name, [])  # raises what was said
        if status != SERVED:
            raise NotServed(why_not(status, ticket.sequence, name))
        return size.value


def _pieces(places):
    return (recorder.Piece * max(1, len(places)))(*places)


def why_not(status, number, name):
    return "lockstep replay: " + _WORDS.get(status, _WORDS[UNKNOWN]).format(call=f"{name}, number {number}")
