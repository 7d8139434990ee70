"""Ranks of recorded jobs, run again alone: what they print is the same to the last bit, and what differs is found.

Cheap jobs by default; LOCKSTEP_REPLAY_ALL=1 (make test-replay) replays every rank of every PyTorch job of the lab."""

import json
import os
import pathlib
import subprocess

import pytest

from harness.registry import REPOSITORY
from recordings import LOCKSTEP, python_with_native_half

TRAIN = pathlib.Path(__file__).parent / "replay_jobs/train.py"
LAB = REPOSITORY / "lab/jobs"
LIMIT_S = 400
ALL = {"torch_ddp": 2, "torch_fsdp": 2, "torch_fsdp1": 2, "torch_tensor_parallel": 2, "torch_pipeline": 3,
       "torch_collectives": 4}
JOBS = ALL if os.environ.get("LOCKSTEP_REPLAY_ALL") else {name: ALL[name] for name in ("torch_ddp",)}


@pytest.fixture(scope="module")
def python():
    return str(python_with_native_half())


def record(python, folder, script, ranks=2, **environ):
    command = [LOCKSTEP, "run", "--payload", "-q", "-o", folder, "--", python, "-m", "torch.distributed.run",
               "--standalone", "--nproc-per-node", str(ranks), script]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S,
                          env=os.environ | {"OMP_NUM_THREADS": "1", "LAB_STEPS": "3"} | environ)


def replay(folder, rank, *more, under=(), status=0, **options):
    said = subprocess.run([*under, LOCKSTEP, "replay", folder, "--rank", str(rank), *more], capture_output=True,
                          text=True, timeout=LIMIT_S, **options)
    assert said.returncode == status, said.stdout + said.stderr
    return said


def lines_of(text, rank):
    """What a rank printed of its results."""
    return [line for line in text.splitlines() if f"rank={rank} " in line and "pid=" not in line]


@pytest.fixture(scope="module")
def recorded(python, tmp_path_factory):
    folder = tmp_path_factory.mktemp("replay") / "recording"
    job = record(python, folder, TRAIN)
    assert job.returncode == 0, job.stderr
    return folder, job.stdout


def test_each_rank_alone_without_a_network_prints_the_same(recorded):
    folder, printed = recorded
    for rank in range(2):
        said = replay(folder, rank, under=("unshare", "--map-root-user", "--net"))
        assert lines_of(said.stdout, rank) == lines_of(printed, rank) != []
        assert "replayed bit for bit" in said.stderr, said.stderr


def test_a_change_of_one_ulp_is_found_by_the_state(recorded, tmp_path):
    folder, _ = recorded
    said = replay(folder, 1, "-o", tmp_path / "replay", "--", "env", "NUDGE=4:ulp", status=1)
    finding = json.loads((tmp_path / "replay/findings.json").read_text())["findings"][0]
    assert (finding["leaf"], finding["root_ranks"]) == ("PERF-RESULT", [1]), said.stderr
    assert "end of step 4" in json.dumps(finding["evidence"]), finding
    assert "0.weight" in json.dumps(finding["evidence"]), finding
    assert "variable NUDGE" in finding["explanation"]


def test_a_change_of_1e_minus_7_is_found_at_its_step_and_bucket(recorded, tmp_path):
    folder, _ = recorded
    said = replay(folder, 0, "-o", tmp_path / "replay", "--what-if", "--", "env", "NUDGE=3:1e-7")
    finding = json.loads((tmp_path / "replay/findings.json").read_text())["findings"][0]
    evidence = [item["text"] for item in finding["evidence"]]
    assert any(text.startswith("step 3: all_reduce") and "float32[" in text for text in evidence), said.stderr
    assert any("train.py" in text and "in main" in text for text in evidence), evidence


def test_two_recordings_are_compared(recorded, tmp_path):
    folder, _ = recorded
    same = subprocess.run([LOCKSTEP, "diff", f"{folder}:0", f"{folder}:1"], capture_output=True, text=True)
    assert same.returncode == 0, same.stdout + same.stderr
    replay(folder, 1, "-o", tmp_path / "replay", "--what-if", "--", "env", "NUDGE=2:1e-7")
    other = subprocess.run([LOCKSTEP, "diff", "--json", f"{folder}:1", f"{tmp_path}/replay:1"], capture_output=True,
                           text=True)
    assert other.returncode == 1, other.stdout + other.stderr
    assert "step 2" in json.dumps(json.loads(other.stdout)["findings"][0])


def test_a_nan_is_met_again_in_a_debugger(python, tmp_path):
    job = record(python, tmp_path / "recording", TRAIN, NAN_RANK="1")
    assert job.returncode != 0
    said = replay(tmp_path / "recording", 1, "--", "python", "-m", "pdb", input="continue\np step, loss\nquit\nquit\n")
    assert "FloatingPointError: loss of rank 1 in step 2" in said.stderr
    assert "(2, tensor(nan" in said.stdout, said.stdout


def test_a_recording_cut_by_kill_9_is_replayed_up_to_its_last_step(python, tmp_path):
    job = record(python, tmp_path / "recording", TRAIN, KILL_AT="3")
    said = replay(tmp_path / "recording", 1, "--", "env", "-u", "KILL_AT", status=1)
    again = lines_of(said.stdout, 1)
    assert again == lines_of(job.stdout, 1)[:len(again)] and "step=1" in again[0], said.stderr
    assert "lockstep replay:" in said.stderr


@pytest.mark.parametrize("name", JOBS)
def test_every_rank_of_a_lab_job(python, tmp_path, name):
    job = record(python, tmp_path / "recording", LAB / f"{name}.py", ALL[name])
    assert job.returncode == 0, job.stderr
    for rank in range(ALL[name]):
        said = replay(tmp_path / "recording", rank)
        assert lines_of(said.stdout, rank) == lines_of(job.stdout, rank) != []
        assert "replayed bit for bit" in said.stderr, said.stderr


def test_what_cannot_be_replayed_says_what_to_do(tmp_path):
    said = replay(tmp_path, 0, status=2)
    assert "lockstep run --payload" in said.stderr
