"""Flight-recorder dumps of a run's ranks, without a change to their script.

    spec = RunSpec(job, environ=flight_dumps.environ(folder))
    with JobRun(spec) as run:
        run.wait_quiet(3)
        flight_dumps.take(run, folder)      # folder/fr_trace_rank_N for every rank that lives
"""

import pathlib
import signal

from harness import process_tree, rank_control, registry
from harness.errors import LabError
from harness.job_run import JobRun

LIMIT_S = 60
HOOK = registry.LAB / "flight_hook"


def environ(folder: pathlib.Path, entries: int = 2000) -> dict[str, str]:
    return {"PYTHONPATH": str(HOOK), "LAB_DUMP_FOLDER": str(folder), "TORCH_FR_BUFFER_SIZE": str(entries),
            "TORCH_NCCL_TRACE_BUFFER_SIZE": str(entries)}


def take(run: JobRun, folder: pathlib.Path, kind: str = "fr_trace") -> list[int]:
    """The ranks that have left a dump, living or ended. A rank that neither dumps nor ends is an error."""
    alive = {rank: progress.pid for rank, progress in run.ranks.items() if is_alive(progress.pid)}
    for pid in alive.values():
        rank_control.send(pid, signal.SIGUSR2)
    for _ in range(LIMIT_S * 10):
        if all(path_of(folder, kind, rank).exists() or not is_alive(pid) for rank, pid in alive.items()):
            return [rank for rank in sorted(run.ranks) if path_of(folder, kind, rank).exists()]
        run.let_pass(0.1)
    raise LabError(f"ranks {sorted(alive)} were asked for dumps; {folder} has not got them after {LIMIT_S} s")


def is_alive(pid: int) -> bool:
    return process_tree.state_of(pid) not in ("", "Z")


def path_of(folder: pathlib.Path, kind: str, rank: int) -> pathlib.Path:
    return folder / f"{kind}_rank_{rank}"
