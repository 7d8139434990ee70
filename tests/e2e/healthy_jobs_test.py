"""Every job of the registry is healthy under every launcher it names, and gives the same losses and
parameters when it runs again."""

import pytest

from harness.job_run import JobRun, RunResult
from harness.registry import load_registry
from harness.run_spec import RunSpec

STEPS = 4
# Their ranks hold different parts of the model, or a value of their own.
OWN_PARAMETERS = {"torch_pipeline", "torch_collectives", "tf_parameter_server"}
PAIRS = [(job.name, launcher) for job in load_registry().values() for launcher in job.launchers]


def start(job, launcher: str) -> JobRun:
    return JobRun(RunSpec(job, launcher, steps=STEPS, seed=7, timeout_s=150))


def wait_healthy(run: JobRun) -> RunResult:
    result, ranks = run.wait(), run.spec.ranks
    assert result.status == 0, result.exits
    assert sorted(result.ranks) == list(range(ranks))
    assert all(progress.ready and progress.done for progress in result.ranks.values())
    files = {path.name for path in run.folder.iterdir()}
    assert {f"rank_{rank}.out" for rank in range(ranks)} <= files
    return result


@pytest.mark.parametrize("name, launcher", PAIRS, ids=lambda value: value)
def test_job_is_healthy_and_repeats_itself(jobs, name, launcher):
    """Both runs go at once, which fills the second core while launchers wait, and shows that they do
    not meet."""
    with start(jobs[name], launcher) as one, start(jobs[name], launcher) as other:
        first, second = wait_healthy(one), wait_healthy(other)
    assert any(losses for losses in first.losses.values())
    assert first.losses == second.losses
    assert first.params == second.params
    if name not in OWN_PARAMETERS:
        assert len(set(first.params.values())) == 1
