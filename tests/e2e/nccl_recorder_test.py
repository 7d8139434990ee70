"""From calls of NCCL to the verdict, without a GPU: the adapter and the tool are real, NCCL and the CUDA driver are test
doubles. What real NCCL does is tried by lab/gpu/nccl_jobs."""

import os
import pathlib
import subprocess
import sys
import time

import pytest

from recordings import BUILD, diagnose, name_of, records_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT_S = 300
DOUBLES = BUILD / "tests" / "recorder" / "nccl"
FRONT = BUILD / "adapters" / "nccl" / "front"
RANKS, FAULTY = 4, 2
FINISHED = 5  # calls of each rank before anything goes wrong


def record(folder: pathlib.Path, fault: str) -> list[subprocess.Popen]:
    ranks = []
    for rank in range(RANKS):
        environ = os.environ | {"RANK": str(rank), "WORLD_SIZE": str(RANKS), "LOCKSTEP_RECORD": str(folder),
                                "LD_LIBRARY_PATH": f"{FRONT}:{DOUBLES / 'fake_nccl'}"}
        command = [sys.executable, ROOT / "tests" / "e2e" / "nccl_ranks.py", fault, DOUBLES / "fake_cuda" / "libcuda.so.1"]
        ranks.append(subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    for rank in ranks:
        assert rank.stdout.readline() == "ready\n"
    for rank in range(RANKS):
        wait_for_ends(folder, rank)
    return ranks


def wait_for_ends(folder, rank):
    """A thread of the adapter asks the driver what has ended: on a busy machine it writes so after the rank said "ready"."""
    deadline = time.monotonic() + LIMIT_S
    while sum(record["record"] == "done" for record in records_of(folder, rank)) < FINISHED:
        assert time.monotonic() < deadline, f"{name_of(rank)} does not have {FINISHED} ended calls after {LIMIT_S} s"


def end(ranks: list[subprocess.Popen]):
    for rank in ranks:
        rank.communicate(timeout=300)


def test_a_healthy_job_gives_no_finding(tmp_path):
    end(record(tmp_path / "recording", "nothing"))
    assert diagnose(tmp_path / "recording")["findings"] == []


@pytest.mark.parametrize("fault,code", [
    ("missing", "desync.missing_rank"), ("split", "desync.missing_rank"), ("shape", "mismatch.shape"),
    ("type", "mismatch.data_type"), ("group", "point_to_point.unmatched_send"),
])
def test_the_rank_that_broke_step_is_named(tmp_path, fault, code):
    ranks = record(tmp_path / "recording", fault)
    try:
        for moment in ("while it hangs", "after kill"):
            first = diagnose(tmp_path / "recording")["findings"][0]
            assert (first["code"], first["root_ranks"]) == (code, [FAULTY]), (moment, first)
            end(ranks)
    finally:
        for rank in ranks:
            rank.kill()
