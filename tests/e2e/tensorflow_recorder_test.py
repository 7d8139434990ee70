"""TensorFlow and Keras jobs under the recorder: their results stay the same, and the record tells what they did."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

import pytest

from harness.job_run import JobRun
from harness.registry import REPOSITORY
from harness.run_spec import RunSpec

BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", REPOSITORY / "build/release"))
LOCKSTEP, LIBRARY = BUILD / "lockstep", BUILD / "recorder/liblockstep.so"
HOOK = REPOSITORY / "adapters/python"
STEPS, QUIET_S, FAULTY, FAULTY_STEP = 3, 4, 1, 2
TIMEOUT_S = 150  # of a run; it takes about five on a machine of its own
FOR_EVER = 10**6


def recorder(folder, **more):
    return {"LOCKSTEP_RECORD": str(folder), "LOCKSTEP_LIBRARY": str(LIBRARY), "PYTHONPATH": str(HOOK)} | more


@pytest.fixture(scope="module", autouse=True)
def native_halves():
    """Built before a rank needs them."""
    for env, adapter in (("torch", "lockstep_torch"), ("tensorflow", "lockstep_tensorflow"),
                         ("horovod-tensorflow", "lockstep_tensorflow")):
        python = subprocess.run([REPOSITORY / "lab/envs/make_envs", "--print", env], capture_output=True, text=True,
                                check=True).stdout.strip()
        built = subprocess.run([python, "-m", f"{adapter}.build"], capture_output=True, text=True,
                               env=os.environ | {"PYTHONPATH": str(HOOK), "PYTHONDONTWRITEBYTECODE": "1"})
        assert built.returncode == 0, built.stderr
        warnings = pathlib.Path(built.stdout.strip()).with_name("warnings").read_text()
        assert warnings == "", "the native half compiles with warnings"


def diagnose(folder):
    said = subprocess.run([LOCKSTEP, "diagnose", "--json", str(folder)], capture_output=True, text=True)
    assert said.returncode in (0, 1), said.stderr
    return json.loads(said.stdout)


def records_of(folder, rank):
    path = folder / f"rank_{rank:05}.restart_0.lockstep"
    said = subprocess.run([LOCKSTEP, "dump", "--json", str(path)], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout[-2000:] + said.stderr
    return [json.loads(line) for line in said.stdout.splitlines()]


def attribute(records, key):
    return [record["value"] for record in records if record["record"] == "attribute" and record["key"] == key]


def calls_of(records):
    calls = [(call["communicator"], call["sequence"], call["operation"], call.get("reduce_op", "none"), call["inputs"])
             for call in records if call["record"] == "call"]
    return sorted(calls, key=lambda call: call[:2])


def check_ends(records):
    """Every call has ended, once."""
    key = lambda record: (record["communicator"], record["operation"], record["sequence"])
    ended = [(key(record), record["status"]) for record in records if record["record"] == "done"]
    assert sorted(ended) == sorted((key(call), "completed") for call in records if call["record"] == "call")


def activities_of(records, word):
    return [(record["phase"], record["number"]) for record in records
            if record["record"] == "activity" and record["activity"] == word]


def tf_faults(jobs, ranks=2, env="tensorflow"):
    return dataclasses.replace(jobs["tf_faults"], ranks=ranks, roles={"worker": ranks}, env=env)


def run_off_and_on(job, recording, **environ):
    """The same losses, parameters and output with the recorder and without it."""
    plain = RunSpec(job, job.launchers[0], ranks=job.ranks, steps=STEPS, seed=7, timeout_s=TIMEOUT_S, environ=environ)
    watched = dataclasses.replace(plain, environ=environ | recorder(recording))
    with JobRun(plain) as off, JobRun(watched) as on:
        expected, result = off.wait(), on.wait()
        assert (result.status, result.losses, result.params) == (expected.status, expected.losses, expected.params)
        assert result.status == 0 and any(result.losses.values())
        for rank in range(job.ranks):
            assert stable_lines(on, rank) == stable_lines(off, rank)
    assert sorted(path.name for path in recording.iterdir()) == [
        f"rank_{rank:05}.restart_0.lockstep" for rank in range(job.ranks)], "no notes of trouble"
    assert diagnose(recording)["findings"] == []
    return [records_of(recording, rank) for rank in range(job.ranks)]


def stable_lines(run, rank):
    """TensorFlow's own log has times in it and another order each time; what the program prints has not."""
    return [line for line in (run.folder / f"rank_{rank}.out").read_text().splitlines() if "ready" not in line]


def expected_calls(mode):
    bucket, loss = ["float32[4096]"], ["float32[]" if mode == "eager" else "float32[1]"]
    first = [("1", 2 * step + at, "all_reduce", "sum", shape) for step in range(STEPS)
             for at, shape in ((1, bucket), (2, loss))]
    return first + [("1 repeated", *call[1:]) for call in first if mode == "loop"]


@pytest.mark.parametrize("mode, env", [("eager", "tensorflow"), ("function", "tensorflow"), ("loop", "tensorflow"),
                                       ("function", "horovod-tensorflow")])
def test_every_execution_of_a_collective_is_recorded(jobs, tmp_path, mode, env):
    for rank, records in enumerate(run_off_and_on(tf_faults(jobs, env=env), tmp_path / "recording", LAB_MODE=mode)):
        assert attribute(records, "tensorflow adapter mode") == ["native"]
        assert attribute(records, "tensorflow task") == [f"worker {rank}"]
        assert calls_of(records) == expected_calls(mode)
        check_ends(records)
        assert activities_of(records, "step") == [(phase, step + 1) for step in range(STEPS) for phase in ("begin", "end")]


def test_a_fit_of_keras_2_tells_epochs_and_batches(jobs, tmp_path):
    ranks = run_off_and_on(jobs["keras_fit"], tmp_path / "recording", LAB_EPOCHS="2")
    assert calls_of(ranks[0]) == calls_of(ranks[1]) and len(calls_of(ranks[0])) > 2 * STEPS
    for records in ranks:
        check_fit(records)
        check_ends(records)


def test_a_fit_of_keras_3_on_pytorch_tells_epochs_and_batches(jobs, tmp_path):
    for records in run_off_and_on(jobs["keras_torch_fit"], tmp_path / "recording", LAB_EPOCHS="2"):
        check_fit(records)


def check_fit(records):
    assert len(attribute(records, "keras")) == 1
    assert activities_of(records, "epoch") == [("begin", 1), ("end", 1), ("begin", 2), ("end", 2)]
    assert activities_of(records, "step") == [(phase, step + 1) for step in range(2 * STEPS) for phase in ("begin", "end")]


def test_a_loop_around_a_keras_model_is_recorded(jobs, tmp_path):
    for records in run_off_and_on(jobs["tf_custom_loop"], tmp_path / "recording"):
        assert [call[2] for call in calls_of(records)].count("broadcast") > 0
        assert len(activities_of(records, "step")) == 2 * STEPS


def test_steps_of_a_parameter_server_job_are_recorded(jobs, tmp_path):
    chief, worker, server = run_off_and_on(jobs["tf_parameter_server"], tmp_path / "recording")
    assert sorted(activities_of(chief, "step")) == sorted((phase, step + 1) for step in range(STEPS)
                                                          for phase in ("begin", "end"))
    assert [attribute(records, "tensorflow task") for records in (chief, worker, server)] == [
        ["chief 0"], ["worker 0"], ["ps 0"]]


def faulty_run(job, tmp_path, steps=6, **environ):
    return JobRun(RunSpec(job, "tf_config", ranks=job.ranks, steps=steps, timeout_s=TIMEOUT_S,
                          environ=environ | recorder(tmp_path / "recording")), tmp_path / "run")


def check_verdict(tmp_path, code, root, leaf="PERF-HANG"):
    verdict = diagnose(tmp_path / "recording")
    shown = json.dumps(verdict, indent=1)
    assert [(found["leaf"], found["code"], found["root_ranks"]) for found in verdict["findings"]] == [
        (leaf, code, [root])], shown
    return verdict["findings"][0]


# The same codes as for PyTorch: the model is one.
@pytest.mark.parametrize("fault, ranks, code", [
    ("missing", 2, "desync.missing_rank"), ("data", 2, "desync.data_loading"), ("leave", 2, "desync.ended_early"),
    ("shape", 3, "mismatch.shape")])
def test_the_faulty_rank_is_named(jobs, tmp_path, fault, ranks, code):
    with faulty_run(tf_faults(jobs, ranks), tmp_path, LAB_FAULT=f"{fault}:{FAULTY}@{FAULTY_STEP}") as run:
        run.wait_for(FAULTY, FAULTY_STEP - 1)
        if fault in ("leave", "shape"):  # TensorFlow notices, and every rank ends
            run.wait()
        else:
            run.wait_quiet(QUIET_S)
        # TensorFlow refuses a shape that does not fit at once: nothing hangs.
        finding = check_verdict(tmp_path, code, FAULTY, "RUN-TENSOR" if fault == "shape" else "PERF-HANG")
        run.end()
    if fault == "leave":
        assert any(evidence["text"].startswith("it gave up: UNAVAILABLE") for evidence in finding["evidence"])


@pytest.mark.parametrize("strike", ["kill", "stop"])
def test_a_rank_struck_before_a_collective_is_named(jobs, tmp_path, strike):
    with faulty_run(tf_faults(jobs), tmp_path, LAB_FAULT=f"missing:{FAULTY}@{FAULTY_STEP}") as run:
        run.wait_for(FAULTY, FAULTY_STEP - 1)
        run.wait_quiet(1)
        getattr(run, strike)(FAULTY)
        run.wait() if strike == "kill" else run.wait_quiet(QUIET_S)
        check_verdict(tmp_path, "desync.missing_rank", FAULTY)
        run.end()


def test_a_hang_in_a_fit_says_the_batch(jobs, tmp_path):
    with faulty_run(jobs["keras_fit"], tmp_path, steps=3, LAB_EPOCHS="3", LAB_FAULT=f"missing:{FAULTY}@4") as run:
        run.wait_for(FAULTY, 3)
        run.wait_quiet(QUIET_S)
        finding = check_verdict(tmp_path, "desync.missing_rank", FAULTY)
        run.end()
    assert "Ranks 0-1 are in epoch 2, batch 2." in finding["explanation"], finding["explanation"]


@pytest.mark.parametrize("strike, struck", [("stop", 1), ("kill", 2)])
def test_a_lost_task_of_a_parameter_server_job_is_named(jobs, tmp_path, strike, struck):
    with faulty_run(jobs["tf_parameter_server"], tmp_path, steps=FOR_EVER) as run:
        run.wait_for(0, 2)
        getattr(run, strike)(struck)
        run.wait_quiet(QUIET_S)
        check_verdict(tmp_path, "point_to_point.unmatched_receive", struck)
        run.end()


@pytest.mark.parametrize("mode", ["eager", "function"])
def test_a_failing_job_fails_as_it_would(jobs, tmp_path, mode):
    environ = {"LAB_MODE": mode, "LAB_FAULT": f"raise:{FAULTY}@{FAULTY_STEP}"}
    plain = RunSpec(tf_faults(jobs), "tf_config", ranks=2, steps=STEPS, timeout_s=TIMEOUT_S, environ=environ)
    watched = dataclasses.replace(plain, environ=environ | recorder(tmp_path / "recording"))
    with JobRun(plain) as off, JobRun(watched) as on:
        off.wait_for(FAULTY, FAULTY_STEP - 1), on.wait_for(FAULTY, FAULTY_STEP - 1)
        assert off.wait().status != 0 and on.wait().status != 0
        tracebacks = [traceback_of(run) for run in (off, on)]
    assert "a bad batch" in tracebacks[0] and tracebacks[0] == tracebacks[1]


def traceback_of(run):
    text = (run.folder / f"rank_{FAULTY}.err").read_text()
    begin = text.index("Traceback")
    lines = [line for line in text[begin:].splitlines() if line.startswith(("Traceback", " ", "ValueError"))]
    return re.sub(r'"[^"]*/__autograph_generated_file\w+\.py"', '"generated"', "\n".join(lines))
