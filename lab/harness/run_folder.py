"""The folder of a run: where it is and what the harness writes into it."""

import json
import os
import pathlib
import tempfile
import time

from harness import registry
from harness.errors import LabError
from harness.launchers import Plan
from harness.run_spec import RunSpec


def make_run_folder(spec: RunSpec, folder: str | os.PathLike | None) -> pathlib.Path:
    """The named folder, which must be new or empty; otherwise one of its own in build/lab-runs."""
    try:
        if folder is None:
            parent = registry.REPOSITORY / "build" / "lab-runs"
            parent.mkdir(parents=True, exist_ok=True)
            stamp = time.strftime("%m%d-%H%M%S")
            return pathlib.Path(tempfile.mkdtemp(
                prefix=f"{spec.job.name}-{spec.launcher}-{stamp}-{os.getpid()}-", dir=parent))
        path = pathlib.Path(folder).absolute()
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise LabError(f"the folder {folder} is not empty; name a new one")
        return path
    except OSError as error:
        raise LabError(f"the run folder cannot be made: {error}") from error


def write_plan(folder: pathlib.Path, spec: RunSpec, plan: Plan, scratch: pathlib.Path):
    """plan.json is what the keeper starts; changes.json is what rank_start applies."""
    write_json(folder / "changes.json", {"environ": spec.rank_environ, "files": spec.rank_files})
    write_json(folder / "plan.json", {
        "command": spec.command_line(),
        "remove_when_orphaned": [str(scratch)],
        "processes": [{
            "name": process.name, "argv": process.argv, "env": process.environ,
            "cwd": str(registry.JOBS), "host_pid": process.host_pid,
            "stdout": str(folder / f"{process.name}.out"),
            "stderr": str(folder / f"{process.name}.err")} for process in plan.processes]})


def write_json(path: pathlib.Path, content: dict):
    try:
        path.write_text(json.dumps(content, indent=1) + "\n")
    except OSError as error:
        raise LabError(f"{short_name(path)} cannot be written: {error.strerror}; "
                       "name another folder with -o") from error


def short_name(path: pathlib.Path) -> str:
    """Below the current folder, the relative name."""
    try:
        return str(path.relative_to(pathlib.Path.cwd()))
    except ValueError:
        return str(path)
