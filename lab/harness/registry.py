"""The registry of jobs (lab/jobs/jobs.toml) and the Python that runs each of them."""

import difflib
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass, field

from harness.errors import LabError

LAB = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = LAB.parent
JOBS = LAB / "jobs"
LAUNCHERS = ("torchrun", "env", "tf_config", "horovodrun_gloo", "horovodrun_mpi", "mpirun")


@dataclass(frozen=True)
class Job:
    name: str
    env: str
    script: pathlib.Path
    ranks: int
    launchers: tuple[str, ...]
    roles: dict[str, int] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)
    tested: tuple[str, ...] = ()  # launchers under which `make test` runs it


def parse_registry(text: str, folder: pathlib.Path = JOBS) -> dict[str, Job]:
    """The jobs of a registry text; what is wrong in it is said with the job's name."""
    toml = _toml_module()
    try:
        table = toml.loads(text).get("job", {})
    except toml.TOMLDecodeError as error:
        raise LabError(f"the job registry is not readable: {error}") from error
    return {name: _job(name, entry, folder) for name, entry in table.items()}


def load_registry(path: pathlib.Path = JOBS / "jobs.toml") -> dict[str, Job]:
    try:
        return parse_registry(path.read_text(), path.parent)
    except OSError as error:
        raise LabError(f"the job registry {path} is not readable: {error.strerror}") from error


def find_job(jobs: dict[str, Job], name: str) -> Job:
    if name in jobs:
        return jobs[name]
    near = difflib.get_close_matches(name, jobs, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else "lab/run --list names them all"
    raise LabError(f"there is no job {name!r}; {hint}")


def python_of(env: str) -> str:
    """The interpreter of a lab environment, or LOCKSTEP_LAB_PYTHON where that is set; the
    environment "system" is the Python that runs the harness."""
    if env == "system":
        return sys.executable
    override = os.environ.get("LOCKSTEP_LAB_PYTHON")
    if override:
        return override
    return _ask([LAB / "envs" / "make_envs", "--print", env],
                f"the lab environment {env!r} is not there; make it with: make lab-deps")


def program_of(job: Job) -> list[str]:
    """The command line of one rank, without its launcher."""
    if job.script.suffix != ".cc":
        return [python_of(job.env), str(job.script)]
    return [_ask([JOBS / "compile", job.name],
                 f"{job.script.name} did not compile; it needs the packages of: make deps")]


def _ask(command: list, failure: str) -> str:
    try:
        answer = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    except OSError as error:
        raise LabError(f"{failure} ({error.strerror}: {command[0]})") from error
    lines = answer.stdout.strip().splitlines()
    if answer.returncode != 0 or not lines or not os.access(lines[-1], os.X_OK):
        said = answer.stderr.strip().splitlines()
        raise LabError(failure + (f"\n  {said[-1]}" if said else ""))
    return lines[-1]


def _job(name: str, entry: dict, folder: pathlib.Path) -> Job:
    missing = {"env", "script", "ranks", "launchers"} - entry.keys()
    unknown = entry.keys() - {"env", "script", "ranks", "launchers", "roles", "environ", "tested"}
    if missing or unknown:
        raise LabError(f"job {name}: " + "; ".join(
            f"{what} {', '.join(sorted(keys))}" for what, keys in
            (("needs", missing), ("does not know", unknown)) if keys))
    strange = [launcher for launcher in entry["launchers"] if launcher not in LAUNCHERS]
    if strange:
        raise LabError(f"job {name}: no launcher is called {strange[0]!r}; "
                       f"there are {', '.join(LAUNCHERS)}")
    tested = entry.get("tested", entry["launchers"])
    if not tested or not set(tested) <= set(entry["launchers"]):
        raise LabError(f"job {name}: tested names some of its launchers, or is left out")
    roles = dict(entry.get("roles", {}))
    if roles and sum(roles.values()) != entry["ranks"]:
        raise LabError(f"job {name}: ranks is {entry['ranks']} but the roles add up to "
                       f"{sum(roles.values())}")
    return Job(name, entry["env"], folder / entry["script"], entry["ranks"],
               tuple(entry["launchers"]), roles,
               {key: str(value) for key, value in entry.get("environ", {}).items()}, tuple(tested))


def _toml_module():
    """tomllib came with Python 3.11; GPU machines may be older, and pip carries a copy."""
    for name in ("tomllib", "tomli", "pip._vendor.tomli"):
        try:
            __import__(name)
            return sys.modules[name]
        except ImportError:
            continue
    raise LabError("no TOML reader: Python 3.11 or newer has one")
