"""A rank of a recorded job alone (lockstep replay): it meets nobody, and every group it makes is one that does nothing.
What its collectives gave back comes from the recording, by the native half."""

import functools
import os


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
        if not hasattr(c10d, "_world"):
            raise RuntimeError("lockstep replay needs PyTorch 2.0 or later")
        import torch.testing._internal.distributed.fake_pg  # noqa: F401  registers the backend that does nothing
        for options in ("backend_options", "pg_options"):
            named.pop(options, None)
        made = make(size, rank, members, "fake", store, *_without_options(rest), **named)
        _name_as_recorded(c10d, made[0], backend)
        return made

    c10d._new_process_group_helper = _new_process_group_helper


def _without_options(rest):
    """The options of a backend stand behind the name of the group, where they are given by place."""
    return [*rest[:1], *(None for _ in rest[1:2]), *rest[2:]]


def _name_as_recorded(c10d, group, backend):
    """Scripts ask for it, and so does PyTorch."""
    if group in c10d._pg_map:
        c10d._pg_map[group] = (str(backend), c10d._pg_map[group][1])
    if group in c10d._world.pg_backend_config:
        c10d._world.pg_backend_config[group] = str(c10d.BackendConfig(c10d.Backend(str(backend))))
