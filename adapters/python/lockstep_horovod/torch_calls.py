"""One operation of horovod.torch: what it is, told when it is queued; that it is waited for, and its end."""

import ctypes
import sys
import threading

from lockstep_python import call_stacks, notes, recorder

# function of horovod.torch.mpi_ops: (beginning of Horovod's name of the tensor, operation, whether all ranks bring one shape)
OPERATIONS = {
    "_allreduce_async": ("allreduce", "all_reduce", True),
    "_grouped_allreduce_async": ("grouped_allreduce", "all_reduce", True),
    "_allgather_async": ("allgather", "all_gather", False),
    "_grouped_allgather_async": ("grouped_allgather", "all_gather", False),
    "_broadcast_async": ("broadcast", "broadcast", True),
    "_alltoall_async": ("alltoall", "all_to_all", False),
    "_reducescatter_async": ("reducescatter", "reduce_scatter", True),
    "_grouped_reducescatter_async": ("grouped_reducescatter", "reduce_scatter", True),
    "join": ("join", "join", False),
    "barrier": ("barrier", "barrier", False),
}
MOST_DESCRIBED = 64  # more are told as one tensor of all their elements
MOST_KNOWN = 8192
# Horovod numbers tensors without a name by their handle; they meet in the order in which they come.
NO_NAME = "noname"
SHUT_DOWN = "Horovod has been shut down"


class WatchedHandles(dict):
    """Horovod's table of operations that were queued and not yet waited for."""

    def __init__(self, handles, calls, kept=None):
        super().__init__(handles)
        self._calls, self._kept = calls, kept  # `kept`: with payload or checksums, who keeps or sums them
        self._tickets = {}

    def __setitem__(self, handle, tensors):
        super().__setitem__(handle, tensors)
        try:
            self._tickets[handle] = self._calls.begin(sys._getframe(1))
        except Exception as error:
            notes.tell(f"an operation of Horovod is not recorded: {error!r}")

    def __contains__(self, handle):
        """Asked before Horovod waits for it."""
        self._calls.mark(self._tickets.get(handle), recorder.DONE_STARTED)
        return super().__contains__(handle)

    def pop(self, handle, *instead):
        """Without a value to give instead, the wait has ended well; otherwise an error is being handled."""
        ticket = self._tickets.pop(handle, None)
        if self._kept is not None and ticket is not None:
            self._keep_end(ticket, self.get(handle), sys.exc_info()[1] if instead else None)
        if instead:
            self._calls.fail(ticket, sys.exc_info()[1])
        else:
            self._calls.mark(ticket, recorder.DONE_COMPLETED)
        return super().pop(handle, *instead)

    def _keep_end(self, ticket, tensors, error):
        if error is not None:
            self._kept.keep_failure(ticket, error)
        else:
            self._kept.keep_result(ticket, tensors[-1])


class CallReader:
    def __init__(self, session):
        self._library, self._native = session.library, session.native
        self._stacks = call_stacks.Stacks(session.library, session.native.wants_stack)
        self._operations = recorder.words("OPERATIONS")
        self._data_types = recorder.words("DATA_TYPES")
        self._known = {}  # what a call is: process set, name, facts; training repeats itself
        self._early = threading.local()

    def begin_early(self, frame):
        """Before the operation is queued: who sees it queued, or refused, gets the same ticket."""
        self._early.ticket = self._begin(frame)
        return self._early.ticket

    def begin(self, frame):
        ticket, self._early.ticket = getattr(self._early, "ticket", None), None
        return self._begin(frame) if ticket is None else ticket

    def _begin(self, frame):
        values = frame.f_locals
        tensors = values.get("tensors") or (values.get("tensor"),)
        process_set = getattr(values.get("process_set"), "process_set_id", 0)
        first = tensors[0]
        key = (frame.f_code, values.get("name"), process_set, values.get("op"), values.get("root_rank"),
               None if first is None else (first.dtype, *[tensor.shape for tensor in tensors]))
        known = self._known.get(key)
        if known is None:
            known = self._describe(frame.f_code.co_name, values, process_set, tensors)
            if len(self._known) < MOST_KNOWN:
                self._known[key] = known
        name, facts = known
        facts.stack = self._stacks.intern(frame.f_back)
        ticket = recorder.Ticket()
        self._native.begin_call(process_set, name, ctypes.byref(facts), ctypes.byref(ticket))
        return ticket

    def refused(self, frame, error):
        """It could not be queued."""
        self.fail(self.begin(frame), error)

    def mark(self, ticket, status, error=0):
        if ticket is not None:
            self._native.mark_call(ctypes.byref(ticket), status, error)

    def fail(self, ticket, error):
        """Without words where they are those of every rank that others left: they say nothing of this one."""
        if ticket is not None:
            text = str(error)
            own = 0 if text.startswith(SHUT_DOWN) else self._library.intern(text[:500])
            self.mark(ticket, recorder.DONE_FAILED, own)

    def _describe(self, function, values, process_set, tensors):
        prefix, word, has_equal_shapes = OPERATIONS[function]
        facts = recorder.CallFacts(size=ctypes.sizeof(recorder.CallFacts), operation=self._operations[word],
                                   flags=recorder.CALL_ASYNC | recorder.CALL_POSTED,
                                   peer=values.get("root_rank", -1))
        if "op" in values:
            facts.reduce_op = self._native.reduce_op(values["op"])
        if tensors[0] is not None:
            facts.data_type = self._data_type(tensors[0])
            if has_equal_shapes:
                facts.payload_bytes = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
                facts.tensors = self._library.intern_tensors(self._shapes(tensors), [])
        return self._name(prefix, values).encode(), facts

    @staticmethod
    def _name(prefix, values):
        if "name" not in values:
            return prefix
        return NO_NAME if values["name"] is None else f"{prefix}.{values['name']}"

    def _shapes(self, tensors):
        if len(tensors) > MOST_DESCRIBED:
            return [(self._data_type(tensors[0]), (sum(tensor.numel() for tensor in tensors),))]
        return [(self._data_type(tensor), tuple(tensor.shape)) for tensor in tensors]

    def _data_type(self, tensor):
        return self._data_types.get(str(tensor.dtype).rpartition(".")[2], self._data_types["other"])
