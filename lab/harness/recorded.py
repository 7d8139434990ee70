"""A plan that runs under `lockstep run`: one command, as a user would give it, recorded into the run's folder.

Where a launcher starts the ranks it is the command. Ranks that the harness would start one by one get a launcher of their
own, start_ranks.py, for a recording is of one command."""

import json
import os
import pathlib
import sys

from harness import registry
from harness.errors import LabError
from harness.launchers import Plan, Process
from harness.run_spec import RunSpec

FOLDER = "recording"
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", registry.REPOSITORY / "build/release"))


def under_lockstep(plan: Plan, spec: RunSpec, folder: pathlib.Path) -> Plan:
    lockstep = BUILD / "lockstep"
    if not lockstep.exists():
        raise LabError(f"there is no {lockstep} to record with; make it with: make build")
    launchers = [process for process in plan.processes if process.name.startswith("launcher")]
    if len(launchers) > 1:
        raise LabError(f"{spec.launcher} over {spec.hosts} hosts is several commands; only one can be recorded")
    first = plan.processes[0]
    command = first.argv if launchers else _start_ranks(plan, folder)
    environ = first.environ if launchers else {key: first.environ[key] for key in first.environ.keys()
                                               if all(one.environ.get(key) == first.environ[key] for one in plan.processes)}
    argv = [str(lockstep), "run", "-o", str(folder / FOLDER), *spec.record_flags, "--", *command]
    return Plan([Process("launcher", argv, environ, first.host_pid if launchers else 0)], plan.log_folders)


def _on_its_host(process: Process) -> list[str]:
    """As srun would start it on another node."""
    enter = ["nsenter", "-t", str(process.host_pid), "-m", "-u", "-i", "-n", "--"] if process.host_pid else []
    return enter + process.argv


def _start_ranks(plan: Plan, folder: pathlib.Path) -> list[str]:
    ranks = folder / "ranks.json"
    ranks.write_text(json.dumps([{"name": process.name, "argv": _on_its_host(process), "env": process.environ}
                                 for process in plan.processes]))
    return [sys.executable, str(pathlib.Path(__file__).with_name("start_ranks.py")), str(ranks)]
