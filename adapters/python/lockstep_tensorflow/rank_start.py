"""Begins the record file of this rank when TensorFlow is told of its cluster: before the tasks look for each other.

Collectives, the coordinator of parameter servers and their servers all keep the cluster's definition in an attribute.
Watching the attribute, rather than a function, leaves no frame of ours in the traceback of a start that fails."""

import os

from lockstep_python import import_watch, notes, payload
from lockstep_python.watched_attribute import WatchedAttribute

_session = None  # once begun: the Session, or False when there will be none


class Session:
    """The recorder and the adapter's native half in this process."""

    def __init__(self, library, cluster, native):
        self.library = library
        self.cluster = cluster
        self.native = native  # None: no collectives
        self.run_steps = None


def watch_context(context):
    for name in ("_server_def", "_collective_ops_server_def"):
        setattr(context.Context, name, WatchedAttribute(name, _when_set))
    if payload.is_replay():
        from lockstep_tensorflow import solo
        solo.stay_alone(context.Context, _begin_once)


def watch_server(server_lib):
    server_lib.Server._server_def = WatchedAttribute("_server_def", _when_set_for_a_server)
    if payload.is_replay():
        from lockstep_tensorflow import solo
        server_lib.Server.__init__ = solo.refuse_servers


def _when_set(_, server_def):
    if server_def is not None:
        _begin_once(server_def)


def _when_set_for_a_server(server, server_def):
    _when_set(server, server_def)
    if _session:
        _refuse_replays(_session)


def _begin_once(server_def):
    global _session
    if _session is not None:
        return
    try:
        _session = _begin(server_def) or False
    except Exception as error:
        _session = False
        notes.tell_without_record(repr(error))


def _begin(server_def):
    from tensorflow.python.framework import versions

    from lockstep_python import recorder
    from lockstep_tensorflow import native
    from lockstep_tensorflow.cluster import Cluster
    cluster = Cluster(server_def)
    if cluster.size < 2:
        return None
    library = recorder.Library()
    refused = library.start_rank("tensorflow", versions.__version__, cluster.rank, cluster.size)
    if refused:
        notes.tell_without_record(f"not recorded: {os.strerror(refused)}")
        return None
    notes.attach(library)
    begun = Session(library, cluster, native.load(cluster, versions.__version__))
    library.set_attribute("meeting place", cluster.as_text())
    library.set_attribute("tensorflow task", f"{server_def.job_name} {server_def.task_index}")
    library.set_attribute("tensorflow adapter mode", "native" if begun.native else "python")
    _watch(begun)
    return begun


def _refuse_replays(begun):
    from lockstep_tensorflow.cluster import WHY_SERVERS_ARE_NOT_REPLAYED
    begun.library.set_attribute("not replayable", WHY_SERVERS_ARE_NOT_REPLAYED)
    coordinator = begun.cluster.rank_of("chief", 0)
    if coordinator >= 0:
        begun.library.set_attribute("replay instead", f"rank {coordinator}, the coordinator: its replay runs these computations again")


def _watch(begun):
    from lockstep_tensorflow import checkpoints, closures, data_waits, remote_values, run_steps
    for module, watch in (
            ("tensorflow.python.profiler.trace", run_steps.watch_functions),
            ("tensorflow.python.distribute.distribute_lib", run_steps.watch_strategies),
            ("tensorflow.python.data.ops.iterator_ops", data_waits.watch),
            ("tensorflow.python.checkpoint.checkpoint", checkpoints.watch),
            ("tensorflow.python.distribute.coordinator.cluster_coordinator", closures.watch),
            ("tensorflow.python.distribute.coordinator.cluster_coordinator", remote_values.watch)):
        import_watch.after_import(module, _WithSession(watch, begun))


class _WithSession:
    def __init__(self, watch, session):
        self._watch, self._session = watch, session

    def __call__(self, module):
        self._watch(self._session, module)
