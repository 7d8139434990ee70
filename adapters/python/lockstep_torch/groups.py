"""Tells the recorder of every process group: its name, its members and its backend, before it is first used."""

import ctypes

from lockstep_python import notes, recorder
from lockstep_torch import rank_start, solo


class _WatchedRanks(dict):
    """torch.distributed's table of the members of each group. Whatever makes a group, in any version, enters it here
    before anybody can use it."""

    def __setitem__(self, group, ranks):
        super().__setitem__(group, ranks)
        try:
            define(group, list(ranks))
        except Exception as error:
            notes.tell(f"group not defined: {error!r}")


def watch_groups(c10d):
    c10d._pg_group_ranks = _WatchedRanks(c10d._pg_group_ranks)
    if solo.is_replay():
        solo.stay_alone(c10d)


def define(group, members):
    import torch.distributed.distributed_c10d as c10d
    if not isinstance(group, c10d.ProcessGroup):
        return
    rank_in_it = group.rank()
    session = rank_start.session(members[rank_in_it], len(members))
    if session is None:
        return
    backend = c10d._pg_map.get(group, ("",))[0] or ""
    name = str(c10d._pg_names.get(group, ""))
    if session.native is None:
        name += " (python)"  # Python sees fewer calls and counts otherwise: such ranks must not meet native ones
    facts = (name, _description(group), str(backend), members, rank_in_it)
    if session.native is not None:
        session.native.remember_group(address(group), recorder.communicator_facts(*facts))
    _definitions[address(group)] = facts


_definitions = {}  # address of a group: what defines it; for the calls that Python sees


def communicator(library, group, tag=0):
    """The id of a group's communicator, or of its channel for messages with a tag. Known ones are found by the
    recorder."""
    facts = _definitions.get(address(group))
    if facts is None:
        return 0
    name = f"{facts[0]} tag {tag}" if tag else facts[0]
    return library.define_communicator(recorder.communicator_facts(name, *facts[1:]))


def _description(group):
    described = getattr(group, "group_desc", "")
    return "" if described in ("", "undefined") else str(described)


def address(group):
    """Of the C++ object behind a Python one: the first word behind the head of an object of pybind11. It is only
    compared, never followed."""
    return ctypes.c_void_p.from_address(id(group) + object.__basicsize__).value or 0
