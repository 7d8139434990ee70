"""A replay whose script resumes from a checkpoint. What the recorded job did once, long before, is not done as in a
fresh start: parameters are those of the checkpoint, and DDP's buckets are those it had settled on in its second step."""

import functools
import inspect
import os
import struct

from lockstep_python import import_watch, recorder, steps
from lockstep_torch import groups

MOST_CALLS = 4096  # of a group, among which the settling of its buckets is looked for


def first_step():
    return int(os.environ.get("LOCKSTEP_REPLAY_FROM_STEP", "0"))


def watch(library):
    if not first_step():
        return
    steps.raise_number(first_step())
    import_watch.after_import("torch.nn.parallel.distributed", functools.partial(_resume_ddp, library))
    import_watch.after_import("torch.distributed.checkpoint.state_dict_loader", _load_alone)


def _load_alone(loader):
    """The recorded job did not load when it began: what ranks tell each other while they load is not on record."""
    load = loader._load_state_dict
    signature = inspect.signature(load)

    @functools.wraps(load)
    def _load_state_dict(*arguments, **named):
        given = signature.bind(*arguments, **named)
        given.arguments["no_dist"] = True
        return load(*given.args, **given.kwargs)

    loader._load_state_dict = _load_state_dict


def _resume_ddp(library, module):
    module._sync_module_states = _without_effect(module._sync_module_states)
    dist = module.dist
    make, dist.Reducer._rebuild_buckets = dist.Reducer, lambda self: False

    @functools.wraps(make)
    def reducer(parameters, buckets, limits, group, *rest, **named):
        settled = _settled_buckets(library, group, len(parameters)) or buckets
        limits = [*limits, *limits[-1:] * len(settled)][:len(settled)]
        return make(parameters, settled, limits, group, *rest, **named)

    module.dist = _Instead(dist, Reducer=reducer)


class _Instead:
    """A module with something else in the place of some of its names."""

    def __init__(self, module, **names):
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)


def _without_effect(broadcast):
    """The recorded broadcast of first parameters: taken, and undone."""
    @functools.wraps(broadcast)
    def told(module, *arguments, **named):
        import torch
        tensors = [*module.parameters(), *module.buffers()]
        before = [tensor.detach().clone() for tensor in tensors]
        broadcast(module, *arguments, **named)
        with torch.no_grad():
            for tensor, value in zip(tensors, before):
                tensor.copy_(value)

    return told


def _settled_buckets(library, group, parameters):
    """Ranks agree on them by two broadcasts: the parameters of all buckets and the number of buckets; their sizes."""
    communicator = groups.communicator(library, group)
    broadcast = recorder.words("OPERATIONS")["broadcast"]
    for sequence in range(1, MOST_CALLS):
        members = _numbers(library.recorded_result(communicator, broadcast, sequence), parameters + 1)
        if members is None:
            continue
        sizes = _numbers(library.recorded_result(communicator, broadcast, sequence + 1), members[-1])
        if sizes is not None and sum(sizes) == parameters and sorted(members[:-1]) == list(range(parameters)):
            ends = [sum(sizes[:number + 1]) for number in range(len(sizes))]
            return [list(members[end - size:end]) for end, size in zip(ends, sizes)]
    return None


def _numbers(content, count):
    if content is None or count <= 0 or len(content) != 4 * count:
        return None
    return struct.unpack(f"={count}i", content)
