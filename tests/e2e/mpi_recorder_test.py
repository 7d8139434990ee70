"""Real MPI jobs under the preloaded recorder: the job is not changed by it, and what it recorded tells what went wrong."""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from harness.job_run import JobRun
from harness.registry import REPOSITORY
from harness.run_spec import RunSpec

from recordings import MPI_ADAPTER, diagnose, name_of, names_in, records_of

# LAB_FAULT of mpi_faults.cc: the codes and root ranks a verdict may give.
FAULTS = {
    "missing:2@4": (["desync.missing_rank"], [2]),
    "root:2@3": (["mismatch.root"], [2]),
    "order:1@3": (["deadlock.order_inversion"], [1]),
    "shape:1@2": (["mismatch.shape"], [1]),
    "skip:3@4": (["deadlock.order_inversion"], [3]),
}


def recording(folder: pathlib.Path, **more: str) -> dict[str, str]:
    return MPI_ADAPTER | {"LOCKSTEP_RECORD": str(folder)} | more


def assert_recorded(folder: pathlib.Path, ranks: int):
    assert names_in(folder) == [name_of(rank) for rank in range(ranks)], "launchers leave no file"


def assert_found(verdict: dict, codes: list[str], roots: list[int]):
    first = verdict["findings"][0]
    assert first["code"] in codes and first["root_ranks"] == roots, json.dumps(verdict, indent=1)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_hanging_job_is_judged_while_it_hangs_and_after_kill(jobs, tmp_path, fault):
    folder = tmp_path / "recording"
    spec = RunSpec(jobs["mpi_faults"], environ=recording(folder, LAB_FAULT=fault))
    with JobRun(spec, tmp_path / "run") as run:
        run.wait_quiet(2)
        assert_found(diagnose(folder), *FAULTS[fault])
    assert_found(diagnose(folder), *FAULTS[fault])


@pytest.mark.parametrize("fault,codes,root", [
    ("exit:2@4", ["desync.dead_rank"], [2]),
    ("abort:1@4", ["desync.dead_rank"], [1]),
])
def test_a_rank_that_ends_by_itself_is_named(jobs, tmp_path, fault, codes, root):
    folder = tmp_path / "recording"
    with JobRun(RunSpec(jobs["mpi_faults"], environ=recording(folder, LAB_FAULT=fault)), tmp_path / "run") as run:
        assert run.wait().status != 0
    assert_found(diagnose(folder), codes, root)


def test_a_killed_rank_is_named(jobs, tmp_path):
    """The launcher kills the others a moment later: only what they did last tells who was first."""
    folder = tmp_path / "recording"
    spec = RunSpec(jobs["mpi_faults"], environ=recording(folder, LAB_FAULT="missing:2@4"))
    with JobRun(spec, tmp_path / "run") as run:
        run.wait_quiet(1)
        run.kill(2)
        assert run.wait().status != 0
    assert_found(diagnose(folder), ["desync.missing_rank", "desync.dead_rank"], [2])


def test_a_ring_tells_of_a_hang_after_most_of_it_was_overwritten(jobs, tmp_path):
    folder = tmp_path / "recording"
    environ = recording(folder, LAB_FAULT="order:1@4000", LOCKSTEP_MAX_RECORD_SIZE="1M")
    with JobRun(RunSpec(jobs["mpi_faults"], ranks=2, steps=5000, environ=environ), tmp_path / "run") as run:
        run.wait_for(0, step=3999)
        run.wait_quiet(2)
    assert all(path.stat().st_size <= 1 << 20 for path in folder.iterdir())
    verdict = diagnose(folder)
    assert verdict["findings"][0]["code"] == "deadlock.order_inversion", json.dumps(verdict, indent=1)
    assert any("overwritten" in limit for limit in verdict["limits"])


def test_64_ranks_on_one_machine(jobs, tmp_path):
    folder = tmp_path / "recording"
    spec = RunSpec(jobs["mpi_ring"], ranks=64, steps=3, timeout_s=300, environ=recording(folder))
    with JobRun(spec, tmp_path / "run") as run:
        assert run.wait().status == 0
    assert_recorded(folder, 64)
    assert diagnose(folder)["findings"] == []


def outputs(folder: pathlib.Path, rank: int) -> dict[tuple, str]:
    """The checksums of results by communicator and number."""
    return {(record["communicator"], record["sequence"]): record["output"]
            for record in records_of(folder, rank) if record.get("record") == "checksum" and "output" in record}


def test_checksums_of_results_agree_on_all_ranks(jobs, tmp_path):
    folder = tmp_path / "recording"
    environ = recording(folder, LOCKSTEP_CHECKSUMS="1")
    with JobRun(RunSpec(jobs["mpi_faults"], environ=environ), tmp_path / "run") as run:
        assert run.wait().status == 0
    first, *others = [outputs(folder, rank) for rank in range(jobs["mpi_faults"].ranks)]
    assert len(first) >= 3 * 8, "the gradients, the loss and the norm of eight steps"
    for other in others:
        common = first.keys() & other.keys()
        assert len(common) >= 3 * 8 and all(first[key] == other[key] for key in common)
    assert diagnose(folder)["findings"] == []


@pytest.fixture(scope="module")
def mpich_program(tmp_path_factory):
    program = tmp_path_factory.mktemp("mpich") / "mpi_faults"
    subprocess.run(["mpicxx.mpich", "-std=c++20", "-O2", "-DMPICH_SKIP_MPICXX", REPOSITORY / "lab/jobs/mpi_faults.cc", "-o",
                    program], check=True)
    return program


def start_mpich(program: pathlib.Path, environ: dict[str, str]) -> subprocess.Popen:
    return subprocess.Popen(["mpirun.mpich", "-n", "4", program], env=dict(os.environ) | environ, text=True,
                            stdout=subprocess.PIPE)


def lines_of(job: subprocess.Popen) -> list[str]:
    output, _ = job.communicate(timeout=240)
    return sorted(line for line in output.splitlines() if line.startswith("lab ") and "pid=" not in line)


def verdict_while_it_hangs(folder: pathlib.Path, job: subprocess.Popen) -> dict:
    """Asked for until it stays the same: nothing else tells a hang from a slow start."""
    try:
        before = None
        for _ in range(60):
            time.sleep(1)
            is_whole = folder.exists() and len(names_in(folder)) == 4
            verdict = diagnose(folder) if is_whole else None
            if verdict is not None and verdict["findings"] and verdict == before:
                return verdict
            before = verdict
        raise AssertionError("a job that hangs gives no finding")
    finally:
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=240)


def test_mpich_is_recorded_alike(tmp_path, mpich_program):
    folder = tmp_path / "recording"
    off, on = lines_of(start_mpich(mpich_program, {})), lines_of(start_mpich(mpich_program, recording(folder)))
    assert len(on) == 36 and on == off
    assert_recorded(folder, 4)
    verdict = diagnose(folder)
    assert verdict["findings"] == [] and verdict["job"]["ranks_seen"] == [0, 1, 2, 3]


@pytest.mark.parametrize("fault", ["missing:2@4", "root:2@3", "order:1@3"])
def test_mpich_faults_are_judged_alike(tmp_path, mpich_program, fault):
    folder = tmp_path / "recording"
    job = start_mpich(mpich_program, recording(folder, LAB_FAULT=fault))
    assert_found(verdict_while_it_hangs(folder, job), *FAULTS[fault])
    assert_found(diagnose(folder), *FAULTS[fault])
