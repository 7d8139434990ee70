"""What operations of horovod.torch are given and give back, with payload: kept in a recording, served in a replay.

Horovod reads what it is given as soon as an operation is queued, so that is where it is seen: in front of the functions of its
native module that queue one. What it gives back is there when the operation has been waited for."""

import functools
import itertools
import sys

from lockstep_python import payload


class KeptCalls:
    """`calls`: the CallReader, which numbers them."""

    def __init__(self, calls, rank):
        self._calls, self._rank = calls, rank
        self._payload = payload.Payload()

    def begin(self, frame):
        ticket = self._calls.begin_early(frame)
        given = inputs_of(frame.f_locals, self._rank)
        self._payload.keep_input(ticket, [_place(tensor) for tensor in given])
        return ticket

    def keep_result(self, ticket, result):
        self._payload.keep_output(ticket, [_place(tensor) for tensor in tensors_in(result)])

    def keep_failure(self, ticket, error):
        self._payload.keep_failure(ticket, error)

    def serve(self, ticket, name, given, outputs):
        sizes = self._payload.sizes(ticket, name, len(outputs))
        for output, size, pattern in zip(outputs, sizes, itertools.chain(given, itertools.repeat(None))):
            _make_room(output, size, pattern)
        self._payload.serve(ticket, name, [_place(output) for output in outputs])


class KeptLibrary:
    """In the place of Horovod's native module in a recording; `kept`: KeptCalls, or who sums."""

    def __init__(self, native, kept):
        self._native, self._kept = native, kept

    def __getattr__(self, name):
        function = getattr(self._native, name)
        if _queues(name):
            function = self._told(function)
        setattr(self, name, function)
        return function

    def _told(self, function):
        @functools.wraps(function)
        def told(*arguments):
            self._kept.begin(sys._getframe(1))
            return function(*arguments)

        return told


class ServedLibrary:
    """In the place of Horovod's native module in a replay: nothing is queued."""

    def __init__(self, native, kept):
        self._native, self._kept = native, kept
        self._numbers = itertools.count()
        self._open = {}  # handle: ticket, name, what it was given, where its result goes

    def __getattr__(self, name):
        function = getattr(self._native, name)  # what this Horovod lacks, its replay lacks
        if _queues(name):
            function = functools.partial(self._queue, name)
        setattr(self, name, function)
        return function

    def horovod_torch_poll(self, handle):
        return 1

    def horovod_torch_wait_and_clear(self, handle):
        self._kept.serve(*self._open.pop(handle))

    def horovod_torch_reset(self):
        self._open.clear()

    def _queue(self, name, *_):
        frame = sys._getframe(1)
        ticket, values = self._kept.begin(frame), frame.f_locals
        outputs = [*tensors_in(values.get("outputs", values.get("output"))), *tensors_in(values.get("output_received_splits"))]
        handle = next(self._numbers)
        self._open[handle] = (ticket, name, tensors_in(values.get("tensors", values.get("tensor"))), outputs)
        return handle


def _queues(name):
    return name.startswith("horovod_torch_") and ("_async_" in name or name in ("horovod_torch_join", "horovod_torch_barrier"))


def inputs_of(values, rank):
    """What the others bring to a broadcast is room."""
    if values.get("root_rank", rank) != rank:
        return []
    return [*tensors_in(values.get("tensors", values.get("tensor"))), *tensors_in(values.get("splits"))]


def tensors_in(value):
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in tensors_in(part)]
    return [value] if hasattr(value, "data_ptr") else []


def _place(tensor):
    return tensor.data_ptr(), tensor.numel() * tensor.element_size()


def _make_room(output, size, pattern):
    """Some results have as many rows as the ranks brought together."""
    if output.numel() * output.element_size() == size:
        return
    rest = tuple(pattern.shape[1:]) if pattern is not None else ()
    row = output.element_size()
    for length in rest:
        row *= length
    output.resize_((size // row if row else 0, *rest))
