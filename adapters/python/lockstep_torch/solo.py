"""A rank of a recorded job alone (lockstep replay): it meets nobody, and every group it makes is one that does nothing.
What its collectives gave back comes from the recording, by the native half."""

import functools
import os

from lockstep_torch import idle_group


def is_replay():
    return bool(os.environ.get("LOCKSTEP_REPLAY"))


def rendezvous(url, **_):
    """In the place of every rendezvous method."""
    from torch.distributed import HashStore
    yield HashStore(), int(os.environ["LOCKSTEP_REPLAY_RANK"]), int(os.environ["LOCKSTEP_REPLAY_WORLD_SIZE"])


def stay_alone(c10d):
    c10d._store_based_barrier = lambda *_, **__: None
    make = c10d._new_process_group_helper

    @functools.wraps(make)
    def _new_process_group_helper(size, rank, members, backend, store, *rest, **named):
        for options in ("backend_options", "pg_options"):
            named.pop(options, None)
        made = make(size, rank, members, _backend_that_does_nothing(c10d), store, *_without_options(c10d, rest), **named)
        _name_as_recorded(c10d, made[0] if isinstance(made, tuple) else made, backend)
        return made

    c10d._new_process_group_helper = _new_process_group_helper


def _is_first_generation(c10d):
    """PyTorch 1 keeps what it knows of groups in variables of the module."""
    return not hasattr(c10d, "_world")


def _backend_that_does_nothing(c10d):
    if _is_first_generation(c10d):
        idle_group.register(c10d)
        return idle_group.BACKEND
    import torch.testing._internal.distributed.fake_pg  # noqa: F401  registers it
    return "fake"


def _without_options(c10d, rest):
    """The options of a backend, where they are given by place, stand behind the name of the group; in PyTorch 1 before it."""
    at = 0 if _is_first_generation(c10d) else 1
    return [*rest[:at], *(None for _ in rest[at:at + 1]), *rest[at + 1:]]


def _name_as_recorded(c10d, group, backend):
    """Scripts ask for it, and so does PyTorch."""
    if group in c10d._pg_map:
        c10d._pg_map[group] = (str(backend), c10d._pg_map[group][1])
    if not _is_first_generation(c10d) and group in c10d._world.pg_backend_config:
        c10d._world.pg_backend_config[group] = str(c10d.BackendConfig(c10d.Backend(str(backend))))
