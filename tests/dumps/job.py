"""A job told call by call, and the flight-recorder dumps its ranks would leave.

    job = Job(4)
    job.all(job.world, "all_reduce", times=10)           # every member, completed
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    job.files()                                          # {"nccl_trace_rank_0": bytes, ...}

Numbers run as in PyTorch: the record number by rank, the sequence by rank and group, the point-to-point sequence by
launch, the operation number by operation. Time passes a millisecond with each call of a rank.
"""

import json
from dataclasses import dataclass, field

from torch_pickle import torch_pickle

DONE, PENDING, STARTED, TIMED_OUT = "done", "pending", "started", "timed out"
EPOCH_NS = 1_762_000_000_000_000_000
CALL_NS, SKEW_NS = 1_000_000, 7_000
TORCH = "/opt/venv/lib/python3.11/site-packages/torch/distributed/"


@dataclass
class Group:
    name: str
    members: list[int]
    description: str = "undefined"


@dataclass
class Counters:
    collective: int = 0
    point_to_point: int = 0
    operation: int = 0
    completed: int = -1
    started: int = -1


@dataclass
class RankLog:
    entries: list[dict] = field(default_factory=list)
    counters: dict[int, Counters] = field(default_factory=dict)  # by local number of the group
    groups: list[Group] = field(default_factory=list)  # in the order in which this rank made them
    hidden: list[Group] = field(default_factory=list)  # not in its pg_config
    frames: dict[tuple, dict] = field(default_factory=dict)
    records: int = 0
    version: str = ""


class Job:
    def __init__(self, ranks: int, backend: str = "nccl", version: str = "2.10", ring: int = 2000):
        self.backend, self.ring = backend, ring
        self.ranks = [RankLog(version=version) for _ in range(ranks)]
        self.world = self.group("0", range(ranks), "default_pg")
        self._lines: dict[tuple, int] = {}

    def group(self, name: str, members, description: str = "undefined") -> Group:
        group = Group(name, list(members), description)
        for rank in group.members:
            log = self.ranks[rank]
            log.counters[len(log.groups)] = Counters()
            log.groups.append(group)
        return group

    def all(self, group: Group, operation: str, *, times: int = 1, but=(), **what):
        for _ in range(times):
            for rank in group.members:
                if rank not in but:
                    self.call(rank, group, operation, **what)

    def call(self, rank: int, group: Group, operation: str, shape=(1024,), *, out=None, dtype="Float",
             state=DONE, advance: int = 1, **entry) -> dict:
        """One collective. `advance`: how far its number is ahead of the last (0 inside a coalesced region)."""
        counters = self._counters(rank, group)
        counters.collective += advance
        sizes = _sizes(shape, _output(operation, shape, len(group.members)) if out is None else out)
        made = self._record(rank, group, f"{self.backend}:{operation}", sizes, dtype, state, False, **entry)
        if state is DONE:
            counters.completed = counters.collective
        return made

    def skip_captured(self, group: Group, count: int):
        """Collectives of a captured graph: they count and are not recorded."""
        for rank in group.members:
            self._counters(rank, group).collective += count
            self._counters(rank, group).operation += count

    def send(self, source: int, target: int, group: Group, shape=(64,), state=DONE, **what):
        self._exchange(source, group, "send {}->{}", source, target, shape, state, **what)

    def receive(self, target: int, source: int, group: Group, shape=(64,), state=DONE, **what):
        self._exchange(target, group, "recv {}<-{}", target, source, shape, state, **what)

    def region(self, rank: int, group: Group, calls, closing: str = "coalesced", state=DONE):
        """A coalesced region: calls are (operation, shape); only the closing entry learns how it went."""
        self._counters(rank, group).collective += 1
        for operation, shape in calls:
            self.call(rank, group, operation, shape, state=PENDING, advance=0)
        if closing:
            self.call(rank, group, closing, None, state=state, advance=0)

    def batch(self, rank: int, group: Group, calls, state=DONE):
        """batch_isend_irecv: calls are ("send" or "recv", peer, shape)."""
        self._counters(rank, group).point_to_point += 1
        for kind, peer, shape in calls:
            arrow = "send {}->{}" if kind == "send" else "recv {}<-{}"
            self._exchange(rank, group, arrow, rank, peer, shape, PENDING, advance=0)
        self._record(rank, group, f"{self.backend}:coalesced", ([], []), None, state, True, at="pipeline.py")

    def restart(self, group: Group):
        """The group is made anew in the living processes: same name, numbers from 1 again."""
        for rank in group.members:
            log = self.ranks[rank]
            log.counters[len(log.groups)] = Counters()
            log.groups = [None if one is group else one for one in log.groups] + [group]

    def dump(self, rank: int, *, stacks: bool = True) -> dict:
        log = self.ranks[rank]
        entries = log.entries[-self.ring:]
        if not stacks:
            entries = [{key: value for key, value in entry.items() if key != "frames"} for entry in entries]
        return {"version": log.version, "pg_config": self._group_table(log), "comm_lib_version": self._library(),
                "pg_status": {str(number): self._status(counters) for number, counters in log.counters.items()},
                "entries": entries}

    def files(self, name: str = "nccl_trace_rank_{}", *, but=(), stacks: bool = True) -> dict[str, bytes]:
        return {name.format(rank): torch_pickle(self.dump(rank, stacks=stacks))
                for rank in range(len(self.ranks)) if rank not in but}

    def json_files(self, name: str = "rank_{}.json", *, but=(), only_active: bool = False) -> dict[str, bytes]:
        return {name.format(rank): dump_json(self.dump(rank), only_active=only_active)
                for rank in range(len(self.ranks)) if rank not in but}

    def _exchange(self, rank, group, arrow, here, there, shape, state, advance: int = 1, **what):
        self._counters(rank, group).point_to_point += advance
        name = arrow.format(group.members.index(here), group.members.index(there))
        self._record(rank, group, f"{self.backend}:{name}", _sizes(shape, shape), "Half", state, True,
                     **{"at": "pipeline.py"} | what)

    def _record(self, rank, group, name, sizes, dtype, state, is_p2p, at="train.py", in_function="step", **entry):
        log, counters = self.ranks[rank], self._counters(rank, group)
        counters.operation += 1
        created = EPOCH_NS + log.records * CALL_NS + rank * SKEW_NS
        knows_times = state is DONE and self.backend not in ("gloo", "nccl2")
        shown = {DONE: "completed", PENDING: "scheduled", STARTED: "started", TIMED_OUT: "started"}[state]
        made = {
            "frames": self._stack(log, name, at, in_function), "record_id": log.records,
            "pg_id": self._local_number(rank, group), "process_group": (group.name, group.description),
            "thread_name": "python", "thread_id": str(140_000_000_000_000 + rank),
            "collective_seq_id": counters.collective, "p2p_seq_id": counters.point_to_point,
            "op_id": counters.operation, "profiling_name": name, "time_created_ns": created,
            "input_sizes": sizes[0], "input_dtypes": [dtype] * len(sizes[0]),
            "output_sizes": sizes[1], "output_dtypes": [dtype] * len(sizes[1]),
            "state": shown if knows_times or shown == "started" else "scheduled",
            "time_discovered_started_ns": created + 200_000 if knows_times or shown == "started" else None,
            "time_discovered_completed_ns": created + 700_000 if knows_times else None,
            "retired": state in (DONE, TIMED_OUT), "timeout_ms": 600_000, "is_p2p": is_p2p} | entry
        log.entries.append(made)
        log.records += 1
        return made

    def _stack(self, log, name, at, in_function) -> list[dict]:
        call = name.partition(":")[2].split(" ")[0]
        line = self._lines.setdefault((call, at, in_function), 40 + 7 * len(self._lines))
        script = f"/home/user/project/{at}"
        frames = [(call, TORCH + "distributed_c10d.py", 3245), ("wrapper", TORCH + "c10d_logger.py", 83),
                  (in_function, script, line), ("main", script, 212), ("<module>", script, 230)]
        return [log.frames.setdefault(frame, dict(zip(("name", "filename", "line"), frame))) for frame in frames]

    def _counters(self, rank: int, group: Group) -> Counters:
        return self.ranks[rank].counters[self._local_number(rank, group)]

    def _local_number(self, rank: int, group: Group) -> int:
        return next(number for number, one in enumerate(self.ranks[rank].groups) if one is group)

    def _group_table(self, log: RankLog) -> dict:
        """Gloo tells nothing about its groups (PyTorch 2.13, seen in a real dump)."""
        if self.backend == "gloo":
            return {"": {"name": "", "desc": "", "ranks": "[]"}}
        return {group.name: {"name": group.name, "desc": group.description, "ranks": str(group.members)}
                for group in log.groups if group and group not in log.hidden}

    def _status(self, counters: Counters) -> dict:
        """Gloo counts sends and receives here too, as its op_id does (PyTorch 2.13, seen in a real dump)."""
        last = counters.operation if self.backend == "gloo" else counters.collective
        return {"last_enqueued_collective": last or -1, "last_started_collective": -1,
                "last_completed_collective": counters.completed}

    def _library(self) -> str:
        return "2.27.3" if self.backend == "nccl" else ""


def dump_json(dump: dict, *, only_active: bool = False) -> bytes:
    """The JSON form: sorted keys, no stacks, times 0 instead of none, status as text, no empty list of entries."""
    entries = [{key: 0 if value is None else value for key, value in entry.items() if key != "frames"}
               for entry in dump["entries"] if not only_active or not entry["retired"]]
    status = {number: {key: str(value) for key, value in one.items()} for number, one in dump["pg_status"].items()}
    table = dump | {"pg_status": status, "nccl_comm_state": {}, "entries": entries}
    if not entries:
        del table["entries"]
    return json.dumps(table, separators=(",", ":"), sort_keys=True).encode()


def _output(operation: str, shape, size: int):
    """What the operation makes of one tensor in a group of `size` ranks."""
    if operation == "all_gather":
        return (size, *shape)
    if operation == "_all_gather_base":
        return (shape[0] * size, *shape[1:])
    if operation == "_reduce_scatter_base":
        return (shape[0] // size, *shape[1:])
    return shape


def _sizes(shape, out):
    """One list per tensor. A shape is one tensor's tuple, a list of them for several, or None for no tensor."""
    def as_lists(one):
        if one is None:
            return []
        return [list(tensor) for tensor in (one if isinstance(one, list) else [one])]

    return as_lists(shape), as_lists(out)
