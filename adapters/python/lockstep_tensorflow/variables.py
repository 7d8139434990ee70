"""The variables of TensorFlow that live in this process, by name, whoever made them: a model, an optimizer, a metric, the script.

Only with payload, and from TensorFlow's import on. An attribute of variables that nobody reads in passing is watched rather than
their constructor, so no frame of ours is in the traceback of a variable that cannot be made. Several objects may stand for one
variable; what they share is its handle, and names are kept there."""

import functools
import itertools
import os
import re
import weakref

from lockstep_python import notes, payload
from lockstep_python.names import free_name
from lockstep_python.watched_attribute import WatchedAttribute

_live = weakref.WeakValueDictionary()  # in the order in which they were made
_numbers = itertools.count()
_REPLICA = re.compile(r"/replica_\d+(?=:\d+$)")


def watch(resource_variable_ops):
    if _are_wanted():
        resource_variable_ops.BaseResourceVariable._initial_value = WatchedAttribute("_initial_value", _remember)


def watch_launchers(cross_device_utils):
    """A strategy has a variable of its own that keeps collectives in order."""
    if _are_wanted():
        cross_device_utils.CollectiveReplicaLauncher._ordering_token = WatchedAttribute("_ordering_token", _leave_out)


def _remember(variable, _):
    _live[next(_numbers)] = variable


def _leave_out(_, variable):
    for number in [number for number, one in list(_live.items()) if one is variable]:
        del _live[number]


def watch_keras(core):
    """Keras 3 keeps the place of a variable in its model to itself. One that cannot be made has a frame of ours in its traceback."""
    if not _are_wanted():
        return
    initialize = core.Variable._initialize

    @functools.wraps(initialize)
    def _initialize(self, value):
        initialize(self, value)
        try:
            for copy in getattr(self._value, "values", (self._value,)):
                copy.handle._lockstep_path = self.path
        except Exception as error:
            notes.tell(f"a variable keeps its name of TensorFlow: {error!r}")

    core.Variable._initialize = _initialize


def _are_wanted():
    return bool(os.environ.get("LOCKSTEP_PAYLOAD")) or payload.is_replay()


def by_name():
    """Those outside of graphs, in the order in which they were made. A name stays with its variable, as long as that lives."""
    every = {}  # id of a handle: the first that stands for it
    for variable in list(_live.values()):
        if hasattr(getattr(variable, "_handle", None), "_numpy"):
            every.setdefault(id(variable._handle), variable)
    taken = {variable._handle._lockstep_name for variable in every.values() if hasattr(variable._handle, "_lockstep_name")}
    for variable in every.values():
        if not hasattr(variable._handle, "_lockstep_name"):
            variable._handle._lockstep_name = free_name(_given_name(variable), taken)
    return {variable._handle._lockstep_name: variable for variable in every.values()}


def _given_name(variable):
    """The model's; of the copies of one variable on several devices all but the first are told apart, as TensorFlow does."""
    path, replica = getattr(variable._handle, "_lockstep_path", None), _REPLICA.search(variable.name)
    return path + (replica[0] if replica else "") if path else variable.name
