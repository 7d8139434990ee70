"""Ranks of recorded MPI programs, run again alone: no launcher, no peers, no network, and the same to the last bit."""

import functools
import json
import os
import pathlib
import subprocess

import pytest

from harness.registry import REPOSITORY, load_registry
from recordings import LOCKSTEP
from solo_replay import WITHOUT_A_NETWORK, replay as replay_alone, stand_still_once

SOURCES = pathlib.Path(__file__).parent / "replay_jobs"
LIMIT_S = 300
replay = functools.partial(replay_alone, limit_s=LIMIT_S, under=WITHOUT_A_NETWORK)
OLD_RECORDING = REPOSITORY / "tests/records/mpi_communicators"
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
RANKS = 4
FORTRAN = ["mpifort.{mpi}", "-cpp", "-O1", "-ffree-line-length-none"]
COMPILERS = {  # of each program, and its source
    "calls": (["mpicxx.{mpi}", "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"], "mpi_calls.cc"),
    "topologies": (["mpicxx.{mpi}", "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"],
                   "mpi_topologies.cc"),
    "communicators": (["mpicxx.{mpi}", "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX"], "mpi_communicators.cc"),
    "fortran": (FORTRAN, "mpi_fortran.f90"),
    "fortran_2008": ([*FORTRAN, "-DF08"], "mpi_fortran.f90"),
}
PROGRAMS = [(mpi, name) for mpi in LAUNCHERS for name in COMPILERS if name != "communicators"]
LAB_JOBS = {name: job.ranks for name, job in load_registry().items() if job.env == "mpi"}


def record(folder, launcher, program, ranks, **environ):
    return subprocess.run([LOCKSTEP, "run", "--payload", "-q", "-o", folder, "--", *launcher, "-n", str(ranks), program],
                          capture_output=True, text=True, timeout=LIMIT_S, env=os.environ | {"LAB_STEPS": "4"} | environ)


def lines_of(text, rank):
    return [line for line in text.splitlines() if f"rank={rank} " in line and "pid=" not in line]


def assert_each_rank_is_the_same(folder, printed, ranks):
    for rank in range(ranks):
        said = replay(folder, rank)
        assert lines_of(said.stdout, rank) == lines_of(printed, rank) != [], said.stderr
        assert "replayed bit for bit" in said.stderr, said.stderr


def compiled(folder, mpi, name):
    command, source = COMPILERS[name]
    program = folder / f"{name}.{mpi}"
    subprocess.run([*(word.format(mpi=mpi) for word in command), SOURCES / source, "-o", program], check=True,
                   capture_output=True)
    return program


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("programs"), "openmpi", "calls")


@pytest.fixture(scope="module")
def recorded(calls, tmp_path_factory):
    folder = tmp_path_factory.mktemp("replay") / "recording"
    job = record(folder, LAUNCHERS["openmpi"], calls, RANKS)
    assert job.returncode == 0, job.stderr
    return folder, job.stdout


def test_each_rank_of_a_program_with_most_calls(recorded):
    assert_each_rank_is_the_same(*recorded, RANKS)


@pytest.mark.parametrize("mpi, name", PROGRAMS)
def test_each_rank_of_a_program(tmp_path, mpi, name):
    job = record(tmp_path / "recording", LAUNCHERS[mpi], compiled(tmp_path, mpi, name), RANKS)
    assert job.returncode == 0, job.stderr
    assert_each_rank_is_the_same(tmp_path / "recording", job.stdout, RANKS)


def test_a_recording_of_before_topologies_were_kept(tmp_path):
    program = compiled(tmp_path, "openmpi", "communicators")
    printed = (OLD_RECORDING / "printed.txt").read_text()
    for rank in range(2):
        said = replay(OLD_RECORDING, rank, "--", program)
        assert sorted(lines_of(said.stdout, rank)) == lines_of(printed, rank) != [], said.stderr
        assert "no difference until then" in said.stderr or "replayed bit for bit" in said.stderr, said.stderr


def test_one_sided_communication_is_refused_by_name(tmp_path):
    program = compiled(tmp_path, "openmpi", "topologies")
    job = record(tmp_path / "recording", LAUNCHERS["openmpi"], program, RANKS, ONE_SIDED="1")
    assert job.returncode == 0, job.stderr
    said = replay(tmp_path / "recording", 1, status=1)
    assert "MPI_Win_create: one-sided communication cannot be replayed" in said.stderr
    assert "bit for bit" not in said.stderr and "ended before" in said.stderr, said.stderr


@pytest.mark.parametrize("name", LAB_JOBS)
def test_each_rank_of_a_lab_job(tmp_path, name):
    program = subprocess.run([REPOSITORY / "lab/jobs/compile", name], capture_output=True, text=True, check=True)
    job = record(tmp_path / "recording", LAUNCHERS["openmpi"], program.stdout.strip(), LAB_JOBS[name])
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


def test_without_steps_a_replay_stands_still_at_a_call_and_goes_to_no_step(recorded):
    state, out, err = stand_still_once(recorded[0], 1, "--break-at", "1:all_reduce#2", limit_s=LIMIT_S)
    assert "\nState:\tT" in state, state
    assert "replayed bit for bit" in err and lines_of(out, 1) == lines_of(recorded[1], 1), err
    for asked in (("--to-step", "2"), ("--bisect", "step > 1"), ("--break-at", "2:all_reduce")):
        said = replay(recorded[0], 1, *asked, status=2)
        assert "no step of rank 1 was seen to end" in said.stderr and "--break-at 1:17" in said.stderr, said.stderr


def test_a_rank_runs_in_a_debugger(recorded):
    folder, printed = recorded
    said = replay(folder, 1, "--", "gdb", "-batch", "-ex", "break MPI_Finalize", "-ex", "run", "-ex", "backtrace", "-ex",
                  "continue", "--args")
    assert [line for line in lines_of(said.stdout, 1) if line.startswith("rank=")] == lines_of(printed, 1), said.stdout
    assert "in main" in said.stdout and "replayed bit for bit" in said.stderr, said.stdout + said.stderr


def test_a_recording_cut_by_kill_9_is_replayed_up_to_its_end(calls, tmp_path):
    job = record(tmp_path / "recording", LAUNCHERS["openmpi"], calls, RANKS, KILL_AT="3:0")
    assert job.returncode != 0
    said = replay(tmp_path / "recording", 0, "--", "env", "-u", "KILL_AT", status=1)
    again = lines_of(said.stdout, 0)
    assert len(again) == 2 and again == lines_of(job.stdout, 0), said.stderr
    assert "lockstep replay: " in said.stderr
