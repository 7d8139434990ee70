"""Sums of what calls were given and gave back, and of what ranks have learned, where the user asked for them
(LOCKSTEP_CHECKSUMS=1), for adapters whose calls Python sees. Places are (address, bytes)."""

import ctypes
from ctypes import c_size_t, c_uint8, c_uint16, c_uint32, c_uint64

from lockstep_python import recorder


class _Facts(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("has_input", c_uint8), ("has_output", c_uint8), ("reserved", c_uint16),
                ("input", c_uint64), ("output", c_uint64)]


class Checksums:
    def __init__(self):
        self._library = recorder.load()
        self._library.lockstep_checksum_pieces.restype = c_uint64

    def are_wanted(self):
        return self._library.lockstep_wants_checksums() != 0

    def note_input(self, ticket, places):
        self._note(ticket, has_input=1, input=self._sum(places))

    def note_output(self, ticket, places):
        self._note(ticket, has_output=1, output=self._sum(places))

    def note_state(self, communicator, step, parameters, buffers):
        """After a step; what the members of the communicator must have alike. No buffers: nothing is said of them."""
        ticket = recorder.Ticket(sequence=step, communicator=communicator, peer=-1, operation=0)
        self._note(ticket, has_input=1, input=self._sum(parameters), has_output=1 if buffers else 0,
                   output=self._sum(buffers) if buffers else 0)

    def _sum(self, places):
        return self._library.lockstep_checksum_pieces((recorder.Piece * max(1, len(places)))(*places), c_size_t(len(places)))

    def _note(self, ticket, **facts):
        self._library.lockstep_note_checksums(ctypes.byref(ticket), ctypes.byref(_Facts(size=ctypes.sizeof(_Facts), **facts)))


def places_of(tensors):
    """None where one of them cannot be read as it lies in memory."""
    if all(tensor.device.type == "cpu" and str(tensor.layout) == "torch.strided" and tensor.is_contiguous() for tensor in tensors):
        return [(tensor.data_ptr(), tensor.numel() * tensor.element_size()) for tensor in tensors]
    return None
