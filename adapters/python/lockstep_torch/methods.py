"""Calls seen at the methods of ProcessGroup that Python calls. Used for what the native half does not see: a few
operations that PyTorch 1.13 does not dispatch, the batches of any version, and everything when there is no native half.

Then collectives that C++ issues (DDP's reducer, functional collectives) are not seen, and a seen one costs tens of
microseconds and a frame in tracebacks.
"""

import functools

from lockstep_python import notes, recorder
from lockstep_torch import groups, idle_group, method_ends, solo

# method: (operation of the dispatcher, word of the vocabulary, how its tensors come)
METHODS = {
    "allreduce": ("allreduce_", "all_reduce", "in_place"),
    "allreduce_coalesced": ("allreduce_coalesced_", "all_reduce", "in_place"),
    "broadcast": ("broadcast_", "broadcast", "in_place"),
    "reduce": ("reduce_", "reduce", "in_place"),
    "allgather": ("allgather_", "all_gather", "out_in"),
    "_allgather_base": ("_allgather_base_", "all_gather", "out_in"),
    "all_gather_single": ("_allgather_base_", "all_gather", "out_in"),
    "allgather_coalesced": ("allgather_coalesced_", "all_gather", "out_in"),
    "allgather_into_tensor_coalesced": ("allgather_into_tensor_coalesced_", "all_gather", "out_in"),
    "all_gather_single_coalesced": ("allgather_into_tensor_coalesced_", "all_gather", "out_in"),
    "gather": ("gather_", "gather", "out_in"),
    "scatter": ("scatter_", "scatter", "out_in"),
    "reduce_scatter": ("reduce_scatter_", "reduce_scatter", "out_in"),
    "_reduce_scatter_base": ("_reduce_scatter_base_", "reduce_scatter", "out_in"),
    "reduce_scatter_single": ("_reduce_scatter_base_", "reduce_scatter", "out_in"),
    "reduce_scatter_tensor_coalesced": ("reduce_scatter_tensor_coalesced_", "reduce_scatter", "out_in"),
    "reduce_scatter_single_coalesced": ("reduce_scatter_tensor_coalesced_", "reduce_scatter", "out_in"),
    "alltoall": ("alltoall_", "all_to_all", "out_in"),
    "alltoall_base": ("alltoall_base_", "all_to_all", "out_in"),
    "all_to_all_single": ("alltoall_base_", "all_to_all", "out_in"),
    "barrier": ("barrier", "barrier", "none"),
    "monitored_barrier": ("monitored_barrier_", "barrier", "none"),
    "send": ("send", "send", "in"),
    "recv": ("recv_", "receive", "out"),
    "recv_anysource": ("recv_any_source_", "receive", "out"),
}
MOST_DESCRIBED = 64  # more are told as one tensor of all their elements
_REDUCE_OPS = {"SUM": "sum", "AVG": "average", "PRODUCT": "product", "MIN": "minimum", "MAX": "maximum",
               "BAND": "bit_and", "BOR": "bit_or", "BXOR": "bit_xor", "PREMUL_SUM": "premul_sum"}
_FLOAT8 = {"float8_e4m3fn": "float8_e4m3"}


def watch(session):
    from torch.distributed.distributed_c10d import ProcessGroup
    reader = _CallReader(session.library)
    ends = method_ends.Ends(session.library)
    seen = session.native.seen if session.native is not None else set()
    for method, (operation, *_) in METHODS.items():
        if not hasattr(ProcessGroup, method) or f"c10d::{operation}" in seen:
            continue
        if solo.is_replay():
            setattr(ProcessGroup, method, idle_group.refuse(operation))
        else:
            setattr(ProcessGroup, method, _told(getattr(ProcessGroup, method), method, reader, ends))
    if session.native is not None and hasattr(ProcessGroup, "_start_coalescing"):
        _watch_batches(ProcessGroup, session.native)


def _told(function, method, reader, ends):
    @functools.wraps(function)
    def told(self, *arguments, **keywords):
        try:
            ticket, device = reader.begin(self, method, [*arguments, *keywords.values()])
        except Exception as error:
            notes.tell(f"{method} is not recorded: {error!r}")
            return function(self, *arguments, **keywords)
        try:
            work = function(self, *arguments, **keywords)
        except BaseException as error:
            ends.fail(ticket, error)
            raise
        ends.follow(ticket, device, work)
        return work

    return told


class _CallReader:
    def __init__(self, library):
        self._library = library
        self._operations = recorder.words("OPERATIONS")
        self._data_types = recorder.words("DATA_TYPES")
        self._reduce_ops = recorder.words("REDUCE_OPS")

    def begin(self, group, method, arguments):
        operation, word, layout = METHODS[method]
        inputs, outputs = _tensors(layout, arguments)
        options = next((value for value in arguments if type(value).__name__.endswith("Options")), None)
        numbers = [value for value in arguments if type(value) is int]
        peer, tag = _partner(method, options, numbers)
        some = inputs or outputs
        ticket = self._library.begin_call(
            communicator=groups.communicator(self._library, group, tag), operation=self._operations[word],
            reduce_op=self._reduce_op(word, options, arguments), data_type=self._data_type(some[0]) if some else 0,
            flags=_flags(word, options, some), peer=peer,
            name=self._library.intern(f"c10d.{operation}"),
            tensors=self._library.intern_tensors(self._shapes(inputs), self._shapes(outputs)) if some else 0,
            payload_bytes=sum(tensor.numel() * tensor.element_size() for tensor in some))
        return ticket, some[0].device if some else None

    def _shapes(self, tensors):
        if len(tensors) > MOST_DESCRIBED:
            return [(self._data_type(tensors[0]), (sum(tensor.numel() for tensor in tensors),))]
        return [(self._data_type(tensor), tuple(tensor.shape)) for tensor in tensors]

    def _data_type(self, tensor):
        word = str(tensor.dtype).rpartition(".")[2]
        return self._data_types.get(_FLOAT8.get(word, word), self._data_types["other"])

    def _reduce_op(self, word, options, arguments):
        if "reduce" not in word:
            return 0
        given = getattr(options, "reduceOp", None) or next(
            (value for value in arguments if type(value).__name__ in ("ReduceOp", "RedOpType")), None)
        word = str(getattr(given, "op", given)).rpartition(".")[2] if given is not None else "SUM"
        name = _REDUCE_OPS.get(word, "other")
        return self._reduce_ops[name]


def _flags(word, options, tensors):
    """A receive may be posted and left open: nobody waits in it before its Work is waited for."""
    is_posted = word in ("send", "receive") and tensors[0].device.type == "cpu"
    return (recorder.CALL_ASYNC if getattr(options, "asyncOp", False) else 0) | (recorder.CALL_POSTED if is_posted else 0)


def _tensors(layout, arguments):
    if layout == "none" or not arguments:
        return [], []
    first = _flat(arguments[0])
    if layout == "out_in":
        return _flat(arguments[1]), first
    return first if layout != "out" else [], first if layout != "in" else []


def _flat(argument):
    if isinstance(argument, (list, tuple)):
        return [tensor for part in argument for tensor in _flat(part)]
    return [argument]


def _partner(method, options, numbers):
    if method in ("send", "recv"):
        return numbers[0], numbers[1] if len(numbers) > 1 else 0
    if method == "recv_anysource":
        return -1, numbers[0] if numbers else 0
    if method in ("broadcast", "reduce", "gather", "scatter"):
        return int(options.rootRank) if options is not None else (numbers[0] if numbers else 0), 0
    return -1, 0


def _watch_batches(kind, native):
    """What is issued between the two runs when the second is called."""
    if solo.is_replay():  # each of them is served when it is issued
        kind._start_coalescing = kind._end_coalescing = lambda *_: None
        return
    start, end = kind._start_coalescing, kind._end_coalescing

    @functools.wraps(start)
    def _start_coalescing(self, *arguments):
        native.begin_batch(groups.address(self))
        return start(self, *arguments)

    @functools.wraps(end)
    def _end_coalescing(self, *arguments):
        work = None
        try:
            work = end(self, *arguments)
            return work
        finally:
            native.end_batch(groups.address(self), work)

    kind._start_coalescing, kind._end_coalescing = _start_coalescing, _end_coalescing
