"""A worker of a recorded job alone (lockstep replay): its server knows no other task, nobody leads it, and there is no
coordination service. The strategy still counts all workers; what collectives give back comes from the recording, by the native
half."""

import functools

from lockstep_python import import_watch
from lockstep_tensorflow import solo_coordinator, solo_server
from lockstep_tensorflow.cluster import WHY_SERVERS_ARE_NOT_REPLAYED


def stay_alone(context, begin):
    """`context`: TensorFlow's class of that name. `begin` is told of the recorded cluster."""
    enable, configure = context.enable_collective_ops, context.configure_collective_ops

    @functools.wraps(enable)
    def enable_collective_ops(self, server_def):
        begin(server_def)
        return enable(self, _of_one_task(server_def))

    @functools.wraps(configure)
    def configure_collective_ops(self, collective_leader="", **named):
        return configure(self, collective_leader="", **named)

    context.enable_collective_ops, context.configure_collective_ops = enable_collective_ops, configure_collective_ops
    context.configure_coordination_service = lambda self, *_, **__: None
    solo_coordinator.stay_alone(context, begin)
    solo_server.stay_deaf(context)
    import_watch.after_import("tensorflow.python.distribute.collective_all_reduce_strategy", _ask_nobody)


def refuse_servers(*_, **__):
    """In the place of what waits for the work of others."""
    raise RuntimeError(f"lockstep replay: {WHY_SERVERS_ARE_NOT_REPLAYED}")


def _of_one_task(server_def):
    """Of the recorded name, so that devices are called as they were."""
    alone = type(server_def)()
    alone.CopyFrom(server_def)
    del alone.cluster.job[:]
    job = alone.cluster.job.add(name=server_def.job_name)
    job.tasks[server_def.task_index] = "localhost:0"
    alone.port = 0
    alone.default_session_config.experimental.collective_group_leader = ""
    alone.default_session_config.experimental.ClearField("coordination_config")
    return alone


def _ask_nobody(module):
    """Whether the others are well."""
    module.CollectiveAllReduceExtended._enable_check_health = False
