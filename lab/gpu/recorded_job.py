"""A job whose ranks share one GPU over NCCL, recorded with all that they received, and one of its ranks alone."""

import os
import pathlib
import subprocess

from harness import recorded, registry
from harness.errors import LabError
from harness.job_run import JobRun
from harness.run_spec import RunSpec

TIMEOUT_S = 120
WITHOUT_NETWORK = ("unshare", "--map-root-user", "--net")


def record(job: registry.Job, ranks: int, steps: int, folder: pathlib.Path, backend: str = "nccl", device: str = "cuda") -> dict[int, list[str]]:
    """What each rank printed."""
    spec = RunSpec(job, "env", ranks=ranks, steps=steps, seed=7, timeout_s=TIMEOUT_S, record=True, record_flags=["--payload"],
                   environ={"LAB_BACKEND": backend, "LAB_DEVICE": device, "NCCL_SOCKET_IFNAME": "lo",
                            "CUBLAS_WORKSPACE_CONFIG": ":4096:8"},
                   rank_environ={rank: {"NCCL_HOSTID": str(rank)} for rank in range(ranks)})
    with JobRun(spec) as run:
        result = run.wait()
        output = "\n".join(path.read_text(errors="replace") for path in sorted(run.folder.glob("*.out")))
        if result.status != 0:
            raise LabError(f"status {result.status}: {last_words(run.folder)}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rm", "-rf", folder], check=True)
        (run.folder / recorded.FOLDER).rename(folder)
    return {rank: lines_of(rank, output) for rank in range(ranks)}


def last_words(folder: pathlib.Path) -> str:
    lines = [line for path in sorted(folder.glob("*.err")) for line in path.read_text(errors="replace").splitlines() if line.strip()]
    return " / ".join(lines[-3:])


def lines_of(rank: int, output: str) -> list[str]:
    lines = (line[line.index("lab rank="):] for line in output.splitlines() if f"lab rank={rank} " in line and "pid" not in line)
    return list(dict.fromkeys(lines))  # a launcher's output holds what its ranks printed


def run_replay(folder: pathlib.Path, rank: int, *more: str, before: tuple[str, ...] = WITHOUT_NETWORK) -> subprocess.CompletedProcess:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("NCCL_")}
    return subprocess.run([*before, recorded.BUILD / "lockstep", "replay", folder, "--rank", str(rank), *more],
                          capture_output=True, text=True, timeout=TIMEOUT_S, env=environ)
