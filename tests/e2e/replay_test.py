"""Ranks of recorded jobs, run again alone: what they print is the same to the last bit, and what differs is found."""

import functools
import json
import os
import pathlib
import re
import subprocess

import pytest

from harness.registry import load_registry
from recordings import LOCKSTEP, python_with_native_half
from solo_replay import WITHOUT_A_NETWORK, replay as replay_alone, replay_each

TRAIN = pathlib.Path(__file__).parent / "replay_jobs/train.py"
START_RANKS = pathlib.Path(__file__).parent / "replay_jobs/start_ranks.py"
LIMIT_S = 900
replay = functools.partial(replay_alone, limit_s=LIMIT_S)
KERNELS = {"keras_torch_fit": "averaged_model/dense/kernel", "keras_torch_ddp": "module._functional._torch_params.sequential/dense/kernel"}  # as parameters are called
LAB_JOBS = {name: job for name, job in load_registry().items() if job.env in ("torch", "torch113")}


@pytest.fixture(scope="module")
def python():
    return str(python_with_native_half())


def record_command(folder, command, **environ):
    return subprocess.run([LOCKSTEP, "run", "--payload", "-q", "-o", folder, "--", *command], capture_output=True, text=True,
                          timeout=LIMIT_S, env=os.environ | {"OMP_NUM_THREADS": "1", "LAB_STEPS": "3"} | environ)


def record(python, folder, script, ranks=2, **environ):
    launcher = [python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
    return record_command(folder, [*launcher, script], **environ)


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
        said = replay(folder, rank, under=WITHOUT_A_NETWORK)
        assert lines_of(said.stdout, rank) == lines_of(printed, rank) != []
        assert f"rank={rank} refused=" in said.stdout, "a collective that failed fails again, with the same words"
        assert "replayed bit for bit" in said.stderr, said.stderr


def first_finding(folder):
    return json.loads((folder / "findings.json").read_text())["findings"][0]


def test_a_changed_script_is_named(recorded, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN.read_text().replace("lr=0.02", "lr=0.025"))
    replay(recorded[0], 0, "-o", tmp_path / "replay", "--what-if", "--", "python", tmp_path / "train.py")
    finding = first_finding(tmp_path / "replay")
    assert "end of step 1" in finding["title"] and "the program (train.py)" in finding["explanation"], finding


def test_another_instruction_set_is_named(recorded, tmp_path):
    replay(recorded[0], 1, "-o", tmp_path / "replay", "--", "env", "ATEN_CPU_CAPABILITY=default", status=1)
    explanation = first_finding(tmp_path / "replay")["explanation"]
    assert "the platform's instruction set (" in explanation and "against DEFAULT)" in explanation, explanation


def test_a_run_that_differs_and_ends_equal_says_so(recorded, tmp_path):
    replay(recorded[0], 0, "-o", tmp_path / "replay", "--", "env", "LOUDER=2", status=1)
    finding = first_finding(tmp_path / "replay")
    assert "in step 2" in finding["title"] and "ends equal all the same" in finding["explanation"], finding


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
    assert any(text.startswith("step 3: all_reduce") and "float32[161]" in text for text in evidence), said.stderr
    assert any("one of 161 elements" in text and "0.weight to" in text for text in evidence), evidence
    assert any("train.py" in text and "in main" in text for text in evidence), evidence


def test_a_replay_stops_after_a_step(recorded):
    folder, printed = recorded
    said = replay(folder, 1, "--to-step", "2")
    assert lines_of(said.stdout, 1)[-1] == [line for line in lines_of(printed, 1) if "step=1 " in line][0], said.stdout
    assert "2 of its 4 steps were compared, no difference until then" in said.stderr, said.stderr


def test_the_step_in_which_a_weight_becomes_nan_is_found_by_one_replay(python, tmp_path):
    job = record(python, tmp_path / "recording", TRAIN, POISON_AT="3")
    assert job.returncode == 0, job.stderr
    said = replay(tmp_path / "recording", 0, "--bisect", "any(p.isnan().any() for p in parameters.values())")
    assert "it holds first at the end of step 3" in said.stderr, said.stderr
    assert not any("step=4" in line for line in said.stdout.splitlines()), said.stdout
    never = replay(tmp_path / "recording", 1, "--bisect", "step > 4 or 'module.0.weight' not in parameters", status=1)
    assert "it holds at the end of no step" in never.stderr, never.stderr
    wrong = replay(tmp_path / "recording", 1, "--bisect", "weight > 1", status=2)
    assert "name 'weight' is not defined" in wrong.stderr, wrong.stderr


def test_two_recordings_are_compared(recorded, tmp_path):
    folder, _ = recorded
    same = subprocess.run([LOCKSTEP, "diff", f"{folder}:0", f"{folder}:1"], capture_output=True, text=True)
    assert same.returncode == 0, same.stdout + same.stderr
    replay(folder, 1, "-o", tmp_path / "replay", "--what-if", "--", "env", "NUDGE=2:1e-7")
    other = subprocess.run([LOCKSTEP, "diff", "--json", f"{folder}:1", f"{tmp_path}/replay:1"], capture_output=True,
                           text=True)
    assert other.returncode == 1, other.stdout + other.stderr
    assert "step 2" in json.dumps(json.loads(other.stdout)["findings"][0])


def test_of_two_recordings_the_rank_that_began_comes_first(python, recorded, tmp_path):
    job = record_command(tmp_path / "recording", [python, START_RANKS, "2", TRAIN], NUDGE="3:1e-7:1")
    assert job.returncode == 0, job.stderr
    said = subprocess.run([LOCKSTEP, "diff", "--json", recorded[0], tmp_path / "recording"], capture_output=True, text=True)
    assert said.returncode == 1, said.stdout + said.stderr
    first, second = json.loads(said.stdout)["findings"]
    assert first["root_ranks"] == [1] and "input of all_reduce" in first["title"] and "step 3" in first["title"], first
    assert second["root_ranks"] == [0] and "result of all_reduce" in second["title"], second
    assert re.search(r"\b[1-9]\d* of 161 elements of its result differ", json.dumps(second["evidence"])), second
    assert "differing inputs by step: step 3: 1, step 4: 1" in first["explanation"], first


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
    assert again == lines_of(job.stdout, 1)[:len(again)] and any("step=1" in line for line in again), said.stderr
    assert "lockstep replay:" in said.stderr and "until then" in said.stderr, said.stderr


@pytest.mark.parametrize("name", LAB_JOBS)
def test_every_rank_of_a_lab_job(python, tmp_path, name):
    job = LAB_JOBS[name]
    command = [str(python_with_native_half(job.env)), START_RANKS, str(job.ranks), job.script]
    run = record_command(tmp_path / "recording", command, **job.environ)
    assert run.returncode == 0, run.stderr
    for rank, said in enumerate(replay_each(tmp_path / "recording", range(job.ranks), limit_s=LIMIT_S)):
        assert lines_of(said.stdout, rank) == lines_of(run.stdout, rank) != []
        assert "replayed bit for bit" in said.stderr, said.stderr
    if name in KERNELS:
        kernel = f"step == 2 and tuple(parameters[{KERNELS[name]!r}].shape) == (16, 32) and not parameters[{KERNELS[name]!r}].isnan().any()"
        said = replay(tmp_path / "recording", 0, "--bisect", kernel)
        assert "it holds first at the end of step 2" in said.stderr, said.stderr


def test_what_cannot_be_replayed_says_what_to_do(tmp_path):
    said = replay(tmp_path, 0, status=2)
    assert "lockstep run --payload" in said.stderr
