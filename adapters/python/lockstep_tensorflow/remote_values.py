"""What the coordinator of a parameter-server job receives from its cluster, kept with payload and given again in a replay: the
results of functions that workers ran, and variables that it reads from parameter servers itself.

A result is known by the number of its function in the order of scheduling, whichever worker ran it; what a function was given
is compared. Reads are counted in the order of the main thread. Results that nobody held when they were ready were not
fetched; a replay fetches those that the recorded run did."""

import itertools
import threading

import numpy

from lockstep_python import notes, payload, recorder
from lockstep_tensorflow.solo_coordinator import OWN_DEVICE

_WORKER_THREADS = "WorkerClosureProcessingLoop"  # TensorFlow's name of those that run functions and fetch their results


class RemoteValues:
    def __init__(self, session, nest, ops):
        self._library, self._payload = session.library, payload.Payload()
        self._nest, self._ops = nest, ops
        self._is_replay = payload.is_replay()
        self._own_device = OWN_DEVICE if self._is_replay else session.cluster.own_name() + "/"
        self._gather = recorder.words("OPERATIONS")["gather"]
        self._results = self._communicator(session.cluster, "results of functions")
        self._reads = self._communicator(session.cluster, "variables read")
        self._functions_scheduled, self._reads_made = itertools.count(1), itertools.count(1)

    def scheduled(self, closure):
        value = closure._output_remote_value_ref() if closure._output_remote_value_ref else None
        if value is None:
            return
        number = next(self._functions_scheduled)
        given = [_array(one) for one in self._readable((closure._args, closure._kwargs)) if not self.is_elsewhere(one)]
        value._lockstep_function, value._lockstep_number = (number, given), number
        if self._is_replay:
            value._lockstep_is_known = self._payload.is_known(self._results, self._gather, number)
            closure._lockstep_value = value if value._lockstep_is_known else None

    def fetched(self, value):
        """TensorFlow's own copy of a result is taken once, by whoever is first."""
        with value._has_fetched_to_local_lock:
            number, given = value.__dict__.pop("_lockstep_function", (0, None))
            if number and getattr(value, "_lockstep_is_known", True):
                value._fetched_tensors = self._received(self._results, number, "result of a function", given, value._fetched_tensors)
        return value._fetched_tensors

    def check_known(self, value):
        """Before the script gets it."""
        if getattr(value, "_lockstep_is_known", True) or threading.current_thread().name.startswith(_WORKER_THREADS):
            return
        raise payload.NotServed(payload.why_not(payload.UNKNOWN, value._lockstep_number, "the fetch of a function's result"))

    def read(self, value):
        return self._received(self._reads, next(self._reads_made), "read of a variable", [], value)

    def _received(self, communicator, number, what, given, received):
        ticket = self._library.begin_call(communicator=communicator, sequence=number, operation=self._gather, peer=-1,
                                          name=self._library.intern(what))
        self._payload.keep_input(ticket, [_place(array) for array in given])
        tensors = self._readable(received)
        arrays = [_array(tensor) for tensor in tensors]
        places = [_place(array) for array in arrays]
        if self._is_replay:
            self._payload.serve(ticket, what, places)
            received = self._with(received, tensors, arrays)
        self._payload.keep_output(ticket, places)
        self._library.mark_call(ticket, recorder.DONE_COMPLETED)
        return received

    def is_elsewhere(self, tensor):
        return not tensor.device.startswith(self._own_device)

    def _readable(self, structure):
        return [one for one in self._nest.flatten(structure) if isinstance(one, self._ops.EagerTensor) and _is_plain(one.dtype)]

    def _with(self, structure, tensors, arrays):
        served = {id(tensor): self._tensor(array, tensor.device) for tensor, array in zip(tensors, arrays)}
        return self._nest.map_structure(lambda one: served.get(id(one), one), structure)

    def _tensor(self, array, device):
        with self._ops.device(device):
            return self._ops.convert_to_tensor(array)

    def _communicator(self, cluster, name):
        return self._library.define_communicator(recorder.communicator_facts(name, "", "grpc", [cluster.rank], 0))


def _is_plain(data_type):
    return data_type.is_numpy_compatible and data_type.as_numpy_dtype is not numpy.object_


def _array(tensor):
    return numpy.array(tensor.numpy())


def _place(array):
    return array.ctypes.data, array.nbytes


def _in_main_thread():
    return threading.current_thread() is threading.main_thread()


def _kept(otherwise, function, *arguments):
    """A job that is recorded does not notice what goes wrong here; a replay must."""
    try:
        return function(*arguments)
    except Exception as error:
        if payload.is_replay():
            raise
        notes.tell(f"a value of the cluster was not kept: {error!r}")
        return otherwise


def watch(session, cluster_coordinator):
    """Nothing without payload."""
    if not session.cluster.has_parameter_servers() or session.library.payload_mode() == recorder.PAYLOAD_OFF:
        return
    from tensorflow.python.distribute.coordinator import values
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import resource_variable_ops
    from tensorflow.python.util import nest
    told = RemoteValues(session, nest, ops)
    _watch_functions(told, cluster_coordinator._CoordinatedClosureQueue, values.RemoteValueImpl)
    if hasattr(values, "RemoteVariable"):  # 2.12 has none
        _watch_variables_of_workers(told, values.RemoteVariable)
    _watch_reads(told, resource_variable_ops.BaseResourceVariable, ops.EagerTensor)


def _watch_functions(told, queue, value):
    put, get = queue.put, value.get

    def counted_put(self, closure, tag=None):
        if tag is None:  # else it builds a resource, which is not fetched
            _kept(None, told.scheduled, closure)
        return put(self, closure, tag)

    def kept_get(self):
        told.check_known(self)
        copied = get(self)
        return _kept(copied, told.fetched, self)

    queue.put, value.get = counted_put, kept_get


def _watch_variables_of_workers(told, variable):
    get = variable.get

    def kept_get(self):
        copied = get(self)
        return _kept(copied, told.read, copied) if _in_main_thread() else copied

    variable.get = kept_get


def _watch_reads(told, variable, eager_tensor):
    read = variable._read_variable_op

    def read_variable_op(self, *arguments, **named):
        value = read(self, *arguments, **named)
        is_received = isinstance(value, eager_tensor) and _in_main_thread() and told.is_elsewhere(value)
        return _kept(value, told.read, value) if is_received else value

    variable._read_variable_op = read_variable_op
