"""Fault files (lab/faults/*.toml): what is broken, on which jobs, and the truth a right verdict names.

One file is one fault; each table [on.LABEL] is the fault on one job, and the two together are a pair, named LABEL_FAULT. What
a table says stands before what the file says. lab/faults/README.md tells of the fields."""

import dataclasses
import difflib
import pathlib
import tomllib
from dataclasses import dataclass, field

from harness import fault_spec, registry
from harness.errors import LabError
from faultlab.vocabulary import FRAMEWORKS, LEAVES, PATTERNS, SCOPES, WAYS

FAULTS = registry.LAB / "faults"
LIMIT_S = 300.0  # a busy machine imports for minutes; jobs that hang end by stall_s, or by limits of their own

TRUTH = {"leaf": str, "or_leaves": list, "codes": list, "recorded_codes": list, "scope": str, "root_ranks": list,
         "fixes": list}
HOW = {"job": str, "env": str, "launcher": str, "ranks": int, "hosts": int, "steps": int, "seed": int, "environ": dict,
       "rank_environ": dict, "rank_env": dict, "host_options": list, "patch": list, "unprinted": str, "rank_unprinted": str, "strikes": list, "limit_s": (int, float),
       "stall_s": (int, float), "record_flags": list, "quick": str}
FILE = {"says": str, "healthy": bool, "twin": str, "on": dict}


@dataclass(frozen=True)
class Truth:
    """leaf is empty for a healthy job. A field that is None is not asked."""
    leaf: str = ""
    or_leaves: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    recorded_codes: tuple[str, ...] = ()
    scope: str | None = None
    root_ranks: tuple[int, ...] | None = None
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Patch:
    find: str
    put: str


@dataclass(frozen=True)
class Pair:
    """One fault on one job."""
    name: str
    fault: str
    label: str
    says: str
    truth: Truth
    job: registry.Job
    launcher: str
    limit_s: float
    stall_s: float | None = None
    hosts: int = 0
    steps: int | None = None
    seed: int | None = None
    rank_environ: dict[int, dict[str, str]] = field(default_factory=dict)
    rank_envs: dict[int, str] = field(default_factory=dict)  # ranks of another environment than the job's
    host_options: tuple[str, ...] = ()
    patches: tuple[Patch, ...] = ()
    strikes: tuple[str, ...] = ()
    record_flags: tuple[str, ...] = ()
    twin: str = ""
    unprinted: str = ""  # why the job prints nothing of it, so that logs alone cannot tell
    rank_unprinted: str = ""  # likewise of the ranks that began it
    quick_way: str = ""  # the way the tests try it

    @property
    def framework(self) -> str:
        return FRAMEWORKS[self.label]

    @property
    def is_quick(self) -> bool:
        return bool(self.quick_way)

    @property
    def mostly_waits(self) -> bool:
        """Its runs hang until they are ended, or their ranks sleep: they take long and need no core."""
        return self.stall_s is not None or self.limit_s < LIMIT_S or any("sleep(" in patch.put for patch in self.patches)

    @property
    def is_healthy(self) -> bool:
        return not self.truth.leaf


def load_all(folder: pathlib.Path = FAULTS) -> dict[str, Pair]:
    jobs = registry.load_registry() | registry.load_registry(folder / "jobs" / "jobs.toml")
    pairs: dict[str, Pair] = {}
    for path in sorted(folder.glob("*.toml")):
        for pair in parse(path.stem, path.read_text(), jobs):
            if pair.name in pairs:
                raise LabError(f"two faults make a pair {pair.name}: {pairs[pair.name].fault} and {pair.fault}")
            pairs[pair.name] = pair
    faults = {pair.fault for pair in pairs.values()}
    for pair in pairs.values():
        if pair.twin and pair.twin not in faults:
            raise LabError(f"fault {pair.fault}: its twin {pair.twin!r} is not there")
    return pairs


def facts_of(truth: Truth) -> dict:
    """The truth in the form of tests/dumps/facts.py, for a case made of a run's logs."""
    if not truth.leaf:
        return {"findings": 0, "codes": [], "must_say": [], "must_not_say": []}
    return {"leaves": [truth.leaf, *truth.or_leaves], "codes": list(truth.codes), "scope": truth.scope,
            "root_ranks": None if truth.root_ranks is None else list(truth.root_ranks), "must_say": [], "must_not_say": []}


def parse(fault: str, text: str, jobs: dict[str, registry.Job]) -> list[Pair]:
    """The pairs of one file; what is wrong in it is said with the fault's name."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LabError(f"fault {fault}: is not readable: {error}") from error
    _check_fields(f"fault {fault}", table, FILE | TRUTH | HOW)
    if "says" not in table or not table.get("on"):
        raise LabError(f"fault {fault}: needs {'a table [on.LABEL]' if 'says' in table else 'says'}")
    return [_pair(fault, label, table, entry, jobs) for label, entry in table["on"].items()]


def _pair(fault: str, label: str, table: dict, entry: dict, jobs: dict[str, registry.Job]) -> Pair:
    where = f"fault {fault} on {label}"
    if label not in FRAMEWORKS:
        raise LabError(f"{where}: no label is called {label!r}; there are {', '.join(FRAMEWORKS)}")
    _check_fields(where, entry, TRUTH | HOW)
    told = {key: value for key, value in table.items() if key not in FILE} | entry
    if "job" not in told:
        raise LabError(f"{where}: needs job, a name of lab/jobs/jobs.toml or lab/faults/jobs/jobs.toml")
    if told.get("quick", WAYS[0]) not in WAYS:
        raise LabError(f"{where}: quick is the way the tests try it, {' or '.join(WAYS)}")
    try:
        job = registry.find_job(jobs, told["job"])
        for strike in told.get("strikes", []):
            fault_spec.parse_fault(strike)
    except LabError as error:
        raise LabError(f"{where}: {error}") from error
    launcher = told.get("launcher", job.launchers[0])
    return Pair(
        name=f"{label}_{fault}", fault=fault, label=label, says=table["says"],
        truth=Truth() if table.get("healthy") else _truth(where, told), job=_changed_job(job, fault, launcher, told),
        launcher=launcher, limit_s=told.get("limit_s", LIMIT_S), stall_s=told.get("stall_s"),
        hosts=told.get("hosts", 0), steps=told.get("steps"), seed=told.get("seed"),
        rank_environ=_rank_environ(where, told.get("rank_environ", {})), rank_envs=_rank_envs(where, told.get("rank_env", {})),
        host_options=tuple(told.get("host_options", [])),
        patches=tuple(_patch(where, one) for one in told.get("patch", [])), strikes=tuple(told.get("strikes", [])),
        record_flags=tuple(told.get("record_flags", [])), twin=table.get("twin", ""), unprinted=told.get("unprinted", ""), rank_unprinted=told.get("rank_unprinted", ""), quick_way=told.get("quick", ""))


def _changed_job(job: registry.Job, fault: str, launcher: str, told: dict) -> registry.Job:
    """A script of lab/faults/jobs is told its fault by name; scripts of both folders find report.py."""
    ranks = told.get("ranks", job.ranks)
    names_fault = job.script.parent != registry.JOBS
    environ = {"PYTHONPATH": str(registry.JOBS), "PYTHONUNBUFFERED": "1"} | ({"LAB_FAULT": fault} if names_fault else {})
    environ |= job.environ | {key: str(value) for key, value in told.get("environ", {}).items()}
    roles = job.roles if ranks == job.ranks else {}
    if launcher == "tf_config":
        roles = roles or {"worker": ranks}
    return dataclasses.replace(job, env=told.get("env", job.env), ranks=ranks, roles=roles, environ=environ)


def _truth(where: str, told: dict) -> Truth:
    missing = [key for key in ("leaf", "fixes") if not told.get(key)]
    if missing:
        raise LabError(f"{where}: needs {' and '.join(missing)}; a job without a fault says healthy = true")
    for key, words, known in (("leaf", [told["leaf"], *told.get("or_leaves", [])], LEAVES),
                              ("fixes", told["fixes"], PATTERNS), ("scope", [told.get("scope", SCOPES[0])], SCOPES)):
        for word in words:
            if word not in known:
                raise LabError(f"{where}: {key} does not know {word!r}{_nearest(word, known)}")
    ranks = told.get("root_ranks")
    return Truth(told["leaf"], tuple(told.get("or_leaves", [])), tuple(told.get("codes", [])),
                 tuple(told.get("recorded_codes", [])), told.get("scope"), None if ranks is None else tuple(ranks),
                 tuple(told["fixes"]))


def _patch(where: str, entry: dict) -> Patch:
    if not isinstance(entry, dict) or entry.keys() != {"find", "put"}:
        raise LabError(f"{where}: a patch is two texts, find and put")
    return Patch(entry["find"], entry["put"])


def _rank_environ(where: str, table: dict) -> dict[int, dict[str, str]]:
    for rank, pairs in table.items():
        if not rank.isdigit() or not isinstance(pairs, dict):
            raise LabError(f"{where}: rank_environ wants RANK = {{ NAME = \"VALUE\" }}")
    return {int(rank): {key: str(value) for key, value in pairs.items()} for rank, pairs in table.items()}


def _rank_envs(where: str, table: dict) -> dict[int, str]:
    for rank, env in table.items():
        if not rank.isdigit() or not isinstance(env, str):
            raise LabError(f"{where}: rank_env wants RANK = \"NAME\", an environment of lab/envs")
    return {int(rank): env for rank, env in table.items()}


def _check_fields(where: str, table: dict, fields: dict):
    for key, value in table.items():
        if key not in fields:
            raise LabError(f"{where}: does not know {key!r}{_nearest(key, fields)}")
        kinds = fields[key] if isinstance(fields[key], tuple) else (fields[key],)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise LabError(f"{where}: {key} wants a {kinds[0].__name__}, not {value!r}")


def _nearest(word: str, known) -> str:
    near = difflib.get_close_matches(str(word), known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
