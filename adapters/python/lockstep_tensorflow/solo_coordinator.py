"""The coordinator of a recorded parameter-server job alone (lockstep replay): devices of workers and parameter servers are
logical devices of its own process. What it has them do is done again there; what it receives from them is the recording's."""

import functools
import sys

from lockstep_tensorflow.cluster import Cluster

OWN_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


def stay_alone(context, begin):
    """`context`: TensorFlow's class of that name. `begin` is told of the recorded cluster."""

    def set_server_def(self, server_def, *_, **__):
        begin(server_def)
        cluster = Cluster(server_def)
        _have_devices(self, cluster.size)
        self._server_def = server_def
        _forget_devices(self)
        _call_devices_by_their_stand_ins(context, cluster)

    def update_server_def(self, server_def, *_, **__):
        self._server_def = server_def

    context.set_server_def, context.update_server_def = set_server_def, update_server_def


def _have_devices(context, count):
    if context._context_handle is not None:
        raise RuntimeError("lockstep replay: this coordinator used TensorFlow before it was told of its cluster; it can be replayed "
                           "when its script makes the strategy first")
    module = sys.modules[type(context).__module__]
    context.set_logical_device_configuration(context.list_physical_devices("CPU")[0],
                                             [module.LogicalDeviceConfiguration() for _ in range(count)])
    context.ensure_initialized()


def _forget_devices(context):
    context._clear_caches()
    sys.modules[type(context).__module__]._device_parsing_cache.clear()


def _call_devices_by_their_stand_ins(context, cluster):
    from tensorflow.python.framework import device, ops
    eager, in_graph = context.device, ops.Graph._add_device_to_stack

    def stand_in(name):
        if name is None or not (isinstance(name, str) or device.is_device_spec(name)):
            return name
        spec = device.DeviceSpec.from_string(name if isinstance(name, str) else name.to_string())
        index = cluster.place_of(spec.job, spec.task or 0)
        if index < 0:
            return name
        return spec.replace(job="localhost", replica=0, task=0, device_type="CPU", device_index=index).to_string()

    @functools.wraps(eager)
    def eager_device(self, name):
        return eager(self, stand_in(name))

    @functools.wraps(in_graph)
    def device_in_graph(self, name, offset=0):
        return in_graph(self, stand_in(name), offset + 1)

    context.device, ops.Graph._add_device_to_stack = eager_device, device_in_graph
