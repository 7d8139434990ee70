"""Every job of the registry is healthy under every launcher it names, gives the same losses, parameters and output when it runs
again under the recorder, and Lockstep has nothing to say about either run. `make test` runs those of lab/run --list-pairs."""

import collections
import json
import re

import pytest

from harness.exit_abort import aborted_at_exit, tell_ran_again
from harness.job_run import JobRun, RunResult
from harness.registry import load_registry
from harness.run_spec import RunSpec

from recordings import MPI_ADAPTER, attribute, diagnose, name_of, names_in, recorder, records_of

STEPS = 4
# Their ranks hold different parts of the model, or a value of their own.
OWN_PARAMETERS = {"torch_pipeline", "torch_collectives", "tf_parameter_server"}
# The others print times, or warnings that depend on them.
SAME_OUTPUT = {"torch_ddp", "torch113_ddp", "torch_fsdp", "torch_fsdp1", "torch_tensor_parallel", "torch_pipeline",
               "torch_collectives", "mpi_ring", "mpi_faults"}
PAIRS = [(job.name, launcher) for job in load_registry().values() for launcher in job.launchers]


def start(job, launcher: str, environ: dict[str, str] = {}) -> JobRun:
    return JobRun(RunSpec(job, launcher, steps=STEPS, seed=7, timeout_s=300, environ=environ))


def wait_healthy(run: JobRun) -> RunResult:
    result = run.wait()
    if result.status != 0 and aborted_at_exit(run.ranks, run.folder):
        tell_ran_again(run.spec.job.name)
        with start(run.spec.job, run.spec.launcher, run.spec.environ) as again:
            return check_healthy(again, again.wait())
    return check_healthy(run, result)


def check_healthy(run: JobRun, result: RunResult) -> RunResult:
    ranks = run.spec.ranks
    assert result.status == 0, result.exits
    assert sorted(result.ranks) == list(range(ranks))
    assert all(progress.ready and progress.done for progress in result.ranks.values())
    files = {path.name for path in run.folder.iterdir()}
    assert {f"rank_{rank}.out" for rank in range(ranks)} <= files
    """Whatever a healthy job prints, warnings included, is no finding."""
    verdict = diagnose(run.folder)
    assert verdict["findings"] == [], json.dumps(verdict, indent=1)
    return result


def check_recording(folder, job):
    assert names_in(folder) == [name_of(rank) for rank in range(job.ranks)], "launchers leave no file"
    verdict = diagnose(folder)
    assert verdict["findings"] == [], json.dumps(verdict, indent=1)
    assert verdict["job"]["ranks_seen"] == list(range(job.ranks))
    records = records_of(folder, 0)
    assert attribute(records, "python adapter") == [], "an adapter could not do all it should"
    assert attribute(records, "pytorch adapter mode") in ([], ["native"])


def check_horovod_reductions(folder, job):
    """Each gradient is reduced once in every step, under its name."""
    for rank in range(job.ranks):
        calls = [record for record in records_of(folder, rank) if record["record"] == "call"]
        reduced = collections.Counter(call["name"] for call in calls if call["operation"] == "all_reduce")
        assert reduced and set(reduced.values()) == {STEPS}
        assert all(call["communicator"].startswith("horovod ") for call in calls), "Horovod's own MPI calls are left out"


def stable_lines(run, rank):
    """What the rank wrote, but for process numbers, addresses, times and its own port."""
    text = (run.folder / f"rank_{rank}.out").read_text() + (run.folder / f"rank_{rank}.err").read_text()
    return re.sub(r"\d{3,}", "#", text)


@pytest.mark.parametrize("name, launcher", PAIRS, ids=lambda value: value)
def test_job_is_healthy_and_the_same_under_the_recorder(jobs, tmp_path, name, launcher):
    """Both runs go at once, which fills the second core while launchers wait, and shows that they do
    not meet."""
    job, recording = jobs[name], tmp_path / "recording"
    with start(job, launcher) as plain, start(job, launcher, recorder(recording) | MPI_ADAPTER) as recorded:
        first, second = wait_healthy(plain), wait_healthy(recorded)
        if name in SAME_OUTPUT:
            assert [stable_lines(plain, rank) for rank in range(job.ranks)] == [
                stable_lines(recorded, rank) for rank in range(job.ranks)]
    assert any(losses for losses in first.losses.values())
    assert first.losses == second.losses
    assert first.params == second.params
    if name not in OWN_PARAMETERS:
        assert len(set(first.params.values())) == 1
    check_recording(recording, job)
    if name.startswith("horovod_"):
        check_horovod_reductions(recording, job)
