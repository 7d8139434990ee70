"""The jobs of broken.toml: what each is, what is known of its fault, and one real run of it."""

import pathlib
import sys
import tomllib
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from harness.errors import LabError, RunTimeout
from harness.fault_spec import parse_fault
from harness.job_run import JobRun
from harness.registry import JOBS, Job
from harness.run_spec import RunSpec


@dataclass(frozen=True)
class BrokenJob:
    name: str
    framework: str
    job: Job
    launcher: str
    facts: dict
    limit_s: float
    stall_s: float | None = None
    strikes: tuple[str, ...] = ()
    rank_environ: dict[int, dict[str, str]] = field(default_factory=dict)
    is_quick: bool = False

    def run(self, folder: pathlib.Path) -> str:
        """Runs it into the folder; says how it ended. A job that hangs is ended at its limit."""
        spec = RunSpec(self.job, launcher=self.launcher, timeout_s=self.limit_s, stall_s=self.stall_s,
                       faults=[parse_fault(text) for text in self.strikes], rank_environ=self.rank_environ)
        try:
            with JobRun(spec, folder) as run:
                return f"status {run.wait().status}"
        except RunTimeout:
            return "hung"


def load(path: pathlib.Path = FOLDER / "broken.toml") -> dict[str, BrokenJob]:
    table = tomllib.loads(path.read_text())
    return {name: _broken_job(name, entry, table["script"]) for name, entry in table["broken"].items()}


def _broken_job(name: str, entry: dict, scripts: dict) -> BrokenJob:
    known = {"script", "leaf", "or_leaves", "codes", "scope", "ranks", "launcher", "limit_s", "stall_s", "strikes",
             "environ", "rank_environ", "world", "env", "quick"}
    if strange := entry.keys() - known:
        raise LabError(f"{name}: does not know {', '.join(sorted(strange))}")
    script = scripts[entry["script"]]
    world = entry.get("world", 2)
    launcher = entry.get("launcher", script["launcher"])
    environ = {"LAB_FAULT": name.removeprefix(script["prefix"]), "PYTHONPATH": str(JOBS), "PYTHONUNBUFFERED": "1"}
    environ |= script.get("environ", {}) | entry.get("environ", {})
    job = Job(name, entry.get("env", script["env"]), FOLDER / f"{entry['script']}.py", world, (launcher,),
              {"worker": world} if launcher == "tf_config" else {}, environ)
    return BrokenJob(name, script["framework"], job, launcher, _facts(entry), entry.get("limit_s", script["limit_s"]),
                     entry.get("stall_s"), tuple(entry.get("strikes", [])),
                     {int(rank): pairs for rank, pairs in entry.get("rank_environ", {}).items()},
                     entry.get("quick", False))


def _facts(entry: dict) -> dict:
    """What a right verdict says, in the form of tests/dumps/facts.py."""
    return {"leaves": [entry["leaf"], *entry.get("or_leaves", [])], "codes": entry.get("codes", []),
            "scope": entry.get("scope"), "root_ranks": entry.get("ranks"), "must_say": [], "must_not_say": []}
