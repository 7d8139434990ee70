"""A race that goes wrong about once in fifty runs: recorded in a loop until it does, then met again in every replay."""

import shutil
import subprocess

from harness.registry import REPOSITORY
from recordings import LOCKSTEP

MOST_RUNS = 1000  # one in fifty: all good by chance once in 500 million times
REPLAYS = 20
LIMIT_S = 300


def record(folder, program):
    return subprocess.run([LOCKSTEP, "run", "--payload", "-q", "-o", folder, "--", "mpirun.openmpi", "--allow-run-as-root",
                           "--oversubscribe", "-n", "3", program], capture_output=True, text=True, timeout=LIMIT_S)


def lines_of(text):
    return [line for line in text.splitlines() if line.startswith("lab rank=0 ")]


def test_a_race_caught_in_a_loop_is_met_in_every_replay(tmp_path):
    compiled = subprocess.run([REPOSITORY / "lab/jobs/compile", "mpi_race"], capture_output=True, text=True, check=True)
    for run in range(MOST_RUNS):
        folder = tmp_path / "recording"
        job = record(folder, compiled.stdout.strip())
        if job.returncode != 0:
            break
        shutil.rmtree(folder)
    assert "loss=inf" in job.stdout, job.stdout + job.stderr
    print(f"caught in run {run + 1}")
    for _ in range(REPLAYS):
        said = subprocess.run([LOCKSTEP, "replay", folder, "--rank", "0"], capture_output=True, text=True,
                              timeout=LIMIT_S)
        assert said.returncode == 3 and lines_of(said.stdout) == lines_of(job.stdout), said.stdout + said.stderr
        assert "replayed bit for bit" in said.stderr, said.stderr
