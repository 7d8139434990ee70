"""Ranks of recorded MPI programs, run again alone: no launcher, no peers, no network, and the same to the last bit."""

import json
import os
import pathlib
import subprocess

import pytest

from harness.registry import REPOSITORY
from recordings import LOCKSTEP

CALLS = pathlib.Path(__file__).parent / "replay_jobs/mpi_calls.cc"
LIMIT_S = 300
MPIS = {
    "openmpi": ("mpicxx.openmpi", "-DOMPI_SKIP_MPICXX", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]),
    "mpich": ("mpicxx.mpich", "-DMPICH_SKIP_MPICXX", ["mpirun.mpich"]),
}
LAB_JOBS = {"mpi_ring": 3, "mpi_faults": 4}


def record(folder, launcher, program, ranks, **environ):
    return subprocess.run([LOCKSTEP, "run", "--payload", "-q", "-o", folder, "--", *launcher, "-n", str(ranks), program],
                          capture_output=True, text=True, timeout=LIMIT_S, env=os.environ | {"LAB_STEPS": "4"} | environ)


def replay(folder, rank, *more, status=0):
    said = subprocess.run(["unshare", "--map-root-user", "--net", LOCKSTEP, "replay", folder, "--rank", str(rank), *more],
                          capture_output=True, text=True, timeout=LIMIT_S)
    assert said.returncode == status, said.stdout + said.stderr
    return said


def lines_of(text, rank):
    return [line for line in text.splitlines() if f"rank={rank} " in line and "pid=" not in line]


def assert_each_rank_is_the_same(folder, printed, ranks):
    for rank in range(ranks):
        said = replay(folder, rank)
        assert lines_of(said.stdout, rank) == lines_of(printed, rank) != [], said.stderr
        assert "replayed bit for bit" in said.stderr, said.stderr


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    for name, (compiler, define, _) in MPIS.items():
        subprocess.run([compiler, "-std=c++20", "-O2", "-Wall", "-Wextra", define, CALLS, "-o", folder / name], check=True)
    return folder


@pytest.fixture(scope="module")
def recorded(programs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("replay") / "recording"
    job = record(folder, MPIS["openmpi"][2], programs / "openmpi", 4)
    assert job.returncode == 0, job.stderr
    return folder, job.stdout


def test_each_rank_of_a_program_with_most_calls(recorded):
    assert_each_rank_is_the_same(*recorded, 4)


def test_each_rank_of_such_a_program_under_mpich(programs, tmp_path):
    job = record(tmp_path / "recording", MPIS["mpich"][2], programs / "mpich", 4)
    assert job.returncode == 0, job.stderr
    assert_each_rank_is_the_same(tmp_path / "recording", job.stdout, 4)


@pytest.mark.parametrize("name", LAB_JOBS)
def test_each_rank_of_a_lab_job(tmp_path, name):
    program = subprocess.run([REPOSITORY / "lab/jobs/compile", name], capture_output=True, text=True, check=True)
    job = record(tmp_path / "recording", MPIS["openmpi"][2], program.stdout.strip(), LAB_JOBS[name])
    assert job.returncode == 0, job.stderr
    assert_each_rank_is_the_same(tmp_path / "recording", job.stdout, LAB_JOBS[name])


def test_the_first_call_that_a_change_reaches_is_found(recorded, tmp_path):
    folder, _ = recorded
    said = replay(folder, 2, "-o", tmp_path / "replay", "--", "env", "NUDGE=3:2", status=1)
    finding = json.loads((tmp_path / "replay/findings.json").read_text())["findings"][0]
    assert (finding["leaf"], finding["root_ranks"]) == ("PERF-RESULT", [2]), said.stderr
    assert "MPI_Allreduce" in json.dumps(finding), finding
    assert "MPI_COMM_WORLD" in json.dumps(finding), finding
    assert "variable NUDGE" in finding["explanation"]


def test_a_recording_cut_by_kill_9_is_replayed_up_to_its_end(programs, tmp_path):
    job = record(tmp_path / "recording", MPIS["openmpi"][2], programs / "openmpi", 4, KILL_AT="3:0")
    assert job.returncode != 0
    said = replay(tmp_path / "recording", 0, "--", "env", "-u", "KILL_AT", status=1)
    again = lines_of(said.stdout, 0)
    assert len(again) == 2 and again == lines_of(job.stdout, 0), said.stderr
    assert "lockstep replay: " in said.stderr
