"""Real MPI jobs under the preloaded recorder: the job is not changed by it, and what it recorded tells what went wrong."""

import json
import os
import pathlib
import signal
import subprocess

import pytest

from harness.job_run import JobRun
from harness.run_spec import RunSpec

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", ROOT / "build" / "release"))
ADAPTER = BUILD / "adapters" / "mpi" / "liblockstep_mpi.so"

# LAB_FAULT of mpi_faults.cc: the codes and root ranks a verdict may give.
FAULTS = {
    "missing:2@4": (["desync.missing_rank"], [2]),
    "root:2@3": (["mismatch.root"], [2]),
    "order:1@3": (["deadlock.order_inversion"], [1]),
    "shape:1@2": (["mismatch.shape"], [1]),
    "skip:3@4": (["deadlock.order_inversion"], [3]),
}


def recording(folder: pathlib.Path, **more: str) -> dict[str, str]:
    return {"LD_PRELOAD": str(ADAPTER), "LOCKSTEP_RECORD": str(folder)} | more


def diagnose(folder: pathlib.Path) -> dict:
    done = subprocess.run([BUILD / "lockstep", "diagnose", "--json", folder], text=True, capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    verdict = json.loads(done.stdout)
    assert done.returncode == (1 if verdict["findings"] else 0)
    return verdict


def assert_recorded(folder: pathlib.Path, ranks: int):
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"rank_{rank:05}.restart_0.lockstep" for rank in range(ranks)], "launchers leave no file"


def assert_found(verdict: dict, codes: list[str], roots: list[int]):
    first = verdict["findings"][0]
    assert first["code"] in codes and first["root_ranks"] == roots, json.dumps(verdict, indent=1)


@pytest.mark.parametrize("name,ranks", [("mpi_ring", 2), ("mpi_ring", 4), ("mpi_faults", 2), ("mpi_faults", 4)])
def test_a_healthy_job_is_the_same_with_the_recorder_and_gives_no_finding(jobs, tmp_path, name, ranks):
    with JobRun(RunSpec(jobs[name], ranks=ranks, steps=20), tmp_path / "off") as run:
        off = run.wait()
    folder = tmp_path / "recording"
    with JobRun(RunSpec(jobs[name], ranks=ranks, steps=20, environ=recording(folder)), tmp_path / "on") as run:
        on = run.wait()
    assert off.status == on.status == 0
    assert on.losses == off.losses and on.params == off.params
    assert_recorded(folder, ranks)
    verdict = diagnose(folder)
    assert verdict["findings"] == [] and verdict["job"]["ranks_seen"] == list(range(ranks))
    assert verdict["limits"] == []


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
    spec = RunSpec(jobs["mpi_ring"], ranks=64, steps=3, timeout_s=200, environ=recording(folder))
    with JobRun(spec, tmp_path / "run") as run:
        assert run.wait().status == 0
    assert_recorded(folder, 64)
    assert diagnose(folder)["findings"] == []


def outputs(file: pathlib.Path) -> dict[tuple, str]:
    """The checksums of results by communicator and number."""
    done = subprocess.run([BUILD / "lockstep", "dump", "--json", file], text=True, capture_output=True, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return {(record["communicator"], record["sequence"]): record["output"]
            for record in records if record.get("record") == "checksum" and "output" in record}


def test_checksums_of_results_agree_on_all_ranks(jobs, tmp_path):
    folder = tmp_path / "recording"
    environ = recording(folder, LOCKSTEP_CHECKSUMS="1")
    with JobRun(RunSpec(jobs["mpi_faults"], environ=environ), tmp_path / "run") as run:
        assert run.wait().status == 0
    first, *others = [outputs(path) for path in sorted(folder.iterdir())]
    assert len(first) >= 3 * 8, "the gradients, the loss and the norm of eight steps"
    for other in others:
        common = first.keys() & other.keys()
        assert len(common) >= 3 * 8 and all(first[key] == other[key] for key in common)
    assert diagnose(folder)["findings"] == []


@pytest.fixture(scope="module")
def mpich_program(tmp_path_factory):
    program = tmp_path_factory.mktemp("mpich") / "mpi_faults"
    subprocess.run(["mpicxx.mpich", "-std=c++20", "-O2", "-DMPICH_SKIP_MPICXX", ROOT / "lab/jobs/mpi_faults.cc", "-o",
                    program], check=True)
    return program


def run_mpich(program: pathlib.Path, environ: dict[str, str], hangs: bool) -> list[str]:
    """What the ranks printed; a job that hangs is ended when it has been given the time to."""
    job = subprocess.Popen(["mpirun.mpich", "-n", "4", program], env=dict(os.environ) | environ, text=True,
                           stdout=subprocess.PIPE)
    try:
        output, _ = job.communicate(timeout=8 if hangs else 120)
    except subprocess.TimeoutExpired:
        job.send_signal(signal.SIGINT)
        output, _ = job.communicate(timeout=30)
    return sorted(line for line in output.splitlines() if line.startswith("lab ") and "pid=" not in line)


def test_mpich_is_recorded_alike(tmp_path, mpich_program):
    folder = tmp_path / "recording"
    off = run_mpich(mpich_program, {}, hangs=False)
    on = run_mpich(mpich_program, recording(folder), hangs=False)
    assert len(on) == 36 and on == off
    assert_recorded(folder, 4)
    verdict = diagnose(folder)
    assert verdict["findings"] == [] and verdict["job"]["ranks_seen"] == [0, 1, 2, 3]


@pytest.mark.parametrize("fault", ["missing:2@4", "root:2@3", "order:1@3"])
def test_mpich_faults_are_judged_alike(tmp_path, mpich_program, fault):
    folder = tmp_path / "recording"
    run_mpich(mpich_program, recording(folder, LAB_FAULT=fault), hangs=True)
    assert_found(diagnose(folder), *FAULTS[fault])
