"""Sums of what operations of horovod.torch are given and give back. They are taken where payload is: before an operation is
queued, and when it has been waited for."""

from lockstep_horovod.torch_payload import inputs_of, tensors_in
from lockstep_python import checksums


class SummedCalls:
    """`kept`: with payload, who keeps the calls as well."""

    def __init__(self, calls, rank, kept=None):
        self._calls, self._rank, self._kept = calls, rank, kept
        self._sums = checksums.Checksums()

    def begin(self, frame):
        ticket = self._kept.begin(frame) if self._kept else self._calls.begin_early(frame)
        self._note(self._sums.note_input, ticket, inputs_of(frame.f_locals, self._rank))
        return ticket

    def keep_result(self, ticket, result):
        self._note(self._sums.note_output, ticket, tensors_in(result))
        if self._kept:
            self._kept.keep_result(ticket, result)

    def keep_failure(self, ticket, error):
        if self._kept:
            self._kept.keep_failure(ticket, error)

    @staticmethod
    def _note(note, ticket, tensors):
        places = checksums.places_of(tensors)
        if places:
            note(ticket, places)
