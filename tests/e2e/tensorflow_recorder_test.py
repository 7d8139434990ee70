"""TensorFlow and Keras jobs under the recorder: their results stay the same, and the record tells what they did."""

import dataclasses
import re

import pytest

from harness.job_run import JobRun
from harness.run_spec import RunSpec
from recorded_verdict import in_short, wait_for_verdict
from recordings import attribute, diagnose, name_of, names_in, recorder, records_of, sums_of

STEPS, QUIET_S, FAULTY, FAULTY_STEP = 3, 4, 1, 2
TIMEOUT_S = 600  # of a run; it takes about five seconds on a machine of its own
FOR_EVER = 10**6


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
    assert names_in(recording) == [name_of(rank) for rank in range(job.ranks)], "no notes of trouble"
    assert diagnose(recording)["findings"] == []
    return [records_of(recording, rank) for rank in range(job.ranks)]


def stable_lines(run, rank):
    """TensorFlow's own log has times in it and another order each time; what the program prints has not."""
    return [line for line in (run.folder / f"rank_{rank}.out").read_text().splitlines() if "ready" not in line]


def expected_calls(modes):
    """In a loop within a function each use after the first is numbered apart."""
    bucket, calls = ["float32[4096]"], []
    for mode in modes:
        loss = ["float32[]" if mode == "eager" else "float32[1]"]
        first = len([call for call in calls if call[0] == "1"])
        calls += [("1", first + 2 * step + at, "all_reduce", "sum", shape) for step in range(STEPS)
                  for at, shape in ((1, bucket), (2, loss))]
    in_loop = [("1 repeated", number, "all_reduce", "sum", shape) for step in range(STEPS)
               for number, shape in ((2 * step + 1, bucket), (2 * step + 2, ["float32[1]"]))]
    return calls + in_loop * ("loop" in modes)


@pytest.mark.parametrize("modes, env", [("eager,function,loop", "tensorflow"), ("function", "horovod-tensorflow")])
def test_every_execution_of_a_collective_is_recorded(jobs, tmp_path, modes, env):
    for rank, records in enumerate(run_off_and_on(tf_faults(jobs, env=env), tmp_path / "recording", LAB_MODE=modes)):
        assert attribute(records, "tensorflow adapter mode") == ["native"]
        assert attribute(records, "tensorflow task") == [f"worker {rank}"]
        assert calls_of(records) == expected_calls(modes.split(","))
        check_ends(records)
        steps = STEPS * len(modes.split(","))
        assert activities_of(records, "step") == [(phase, step + 1) for step in range(steps) for phase in ("begin", "end")]


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


def test_a_loop_around_a_keras_model_is_recorded_and_summed(jobs, tmp_path):
    ranks = run_off_and_on(jobs["tf_custom_loop"], tmp_path / "recording", LOCKSTEP_CHECKSUMS="1")
    for records in ranks:
        assert [call[2] for call in calls_of(records)].count("broadcast") > 0
        assert len(activities_of(records, "step")) == 2 * STEPS
    given, other_given = (sums_of(records, "input", "all_reduce") for records in ranks)
    assert len(given) >= STEPS and all(given[call] != other_given[call] for call in given), "each has samples of its own"
    for operation in ("all_reduce", "broadcast"):
        results, others = (sums_of(records, "output", operation) for records in ranks)
        assert results and results == others


def test_steps_of_a_parameter_server_job_are_recorded(jobs, tmp_path):
    chief, worker, server = run_off_and_on(jobs["tf_parameter_server"], tmp_path / "recording")
    assert sorted(activities_of(chief, "step")) == sorted((phase, step + 1) for step in range(STEPS)
                                                          for phase in ("begin", "end"))
    assert [attribute(records, "tensorflow task") for records in (chief, worker, server)] == [
        ["chief 0"], ["worker 0"], ["ps 0"]]


def faulty_run(job, tmp_path, steps=6, **environ):
    return JobRun(RunSpec(job, job.launchers[0], ranks=job.ranks, steps=steps, timeout_s=TIMEOUT_S,
                          environ=environ | recorder(tmp_path / "recording")), tmp_path / "run")


def check_verdict(run, tmp_path, code, root=FAULTY, leaf="PERF-HANG"):
    return wait_for_verdict(run, tmp_path / "recording", [(leaf, code, root)])["findings"][0]


# The same codes as for PyTorch: the model is one.
def test_a_rank_that_never_comes_is_named_also_when_it_is_stopped_and_killed(jobs, tmp_path):
    with faulty_run(tf_faults(jobs), tmp_path, LAB_FAULT=f"missing:{FAULTY}@{FAULTY_STEP}") as run:
        run.wait_for(FAULTY, FAULTY_STEP - 1)
        check_verdict(run, tmp_path, "desync.missing_rank")
        run.stop(FAULTY)
        check_verdict(run, tmp_path, "desync.missing_rank")
        run.kill(FAULTY)
        run.wait()
    # The other may be ended before it says that it lost a connection: whether a death was seen is chance, whose it was is not.
    assert in_short(diagnose(tmp_path / "recording")) in (
        [("PERF-HANG", "desync.missing_rank", FAULTY)], [("RUN-COMM", "desync.dead_rank", FAULTY)])


def test_a_rank_that_waits_for_data_is_named(jobs, tmp_path):
    with faulty_run(tf_faults(jobs), tmp_path, LAB_FAULT=f"data:{FAULTY}@{FAULTY_STEP}") as run:
        run.wait_for(FAULTY, FAULTY_STEP - 1)
        check_verdict(run, tmp_path, "desync.data_loading")


@pytest.mark.parametrize("job", ["keras_fit", "keras_torch_fit"])
def test_in_a_fit_the_epoch_and_the_batch_are_named(jobs, tmp_path, job):
    """Keras 2 on TensorFlow, Keras 3 on PyTorch."""
    with faulty_run(jobs[job], tmp_path, steps=3, LAB_EPOCHS="3", LAB_FAULT=f"missing:{FAULTY}@4") as run:
        run.wait_for(FAULTY, 3)
        finding = check_verdict(run, tmp_path, "desync.missing_rank")
    assert "Ranks 0-1 are in epoch 2, batch 2." in finding["explanation"], finding["explanation"]


def test_where_tensorflow_notices_the_faulty_rank_is_named(jobs, tmp_path):
    """Every rank ends. A shape that does not fit is refused at once: nothing hangs."""
    (tmp_path / "leave").mkdir(), (tmp_path / "shape").mkdir()
    with faulty_run(tf_faults(jobs), tmp_path / "leave", LAB_FAULT=f"leave:{FAULTY}@{FAULTY_STEP}") as leave, \
            faulty_run(tf_faults(jobs, 3), tmp_path / "shape", LAB_FAULT=f"shape:{FAULTY}@{FAULTY_STEP}") as shape:
        leave.wait()
        finding = check_verdict(leave, tmp_path / "leave", "desync.ended_early")
        assert any(evidence["text"].startswith("it gave up: UNAVAILABLE") for evidence in finding["evidence"])
        shape.wait()
        check_verdict(shape, tmp_path / "shape", "mismatch.shape", leaf="RUN-TENSOR")


OWES_SOMETHING, IS_DEAD = ("PERF-HANG", "point_to_point.unmatched_receive"), ("RUN-COMM", "desync.dead_rank")


@pytest.mark.parametrize("strike, struck, verdict", [("stop", 1, OWES_SOMETHING), ("kill", 1, IS_DEAD), ("kill", 2, IS_DEAD)])
def test_a_lost_task_of_a_parameter_server_job_is_named(jobs, tmp_path, strike, struck, verdict):
    """A worker may be stopped while its result is fetched as well as while it computes: it owes something in any case."""
    with faulty_run(jobs["tf_parameter_server"], tmp_path, steps=FOR_EVER) as run:
        run.wait_for(0, 2)
        getattr(run, strike)(struck)
        run.wait_quiet(QUIET_S)
        leaf, code = verdict
        check_verdict(run, tmp_path, code, struck, leaf)
        run.end()


def test_a_failing_job_fails_as_it_would(jobs, tmp_path):
    environ = {"LAB_MODE": "eager,function", "LAB_FAULT": f"raise:{FAULTY}@{FAULTY_STEP}"}
    plain = RunSpec(tf_faults(jobs), "tf_config", ranks=2, steps=STEPS, timeout_s=TIMEOUT_S, environ=environ)
    watched = dataclasses.replace(plain, environ=environ | recorder(tmp_path / "recording"))
    with JobRun(plain) as off, JobRun(watched) as on:
        off.wait_for(FAULTY, FAULTY_STEP - 1), on.wait_for(FAULTY, FAULTY_STEP - 1)
        assert off.wait().status != 0 and on.wait().status != 0
        tracebacks = [traceback_of(run) for run in (off, on)]
    assert tracebacks[0].count("ValueError: a bad batch") == 2 and tracebacks[0] == tracebacks[1]


def traceback_of(run):
    text = (run.folder / f"rank_{FAULTY}.err").read_text()
    begin = text.index("Traceback")
    lines = [line for line in text[begin:].splitlines() if line.startswith(("Traceback", " ", "ValueError"))]
    return re.sub(r'"[^"]*/__autograph_generated_file\w+\.py"', '"generated"', "\n".join(lines))
