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


def run_once(job, launcher: str) -> RunResult:
    with JobRun(RunSpec(job, launcher, steps=STEPS, seed=7, timeout_s=100)) as run:
        result = run.wait()
        assert result.status == 0, result.exits
        assert sorted(result.ranks) == list(range(job.ranks))
        assert all(progress.ready and progress.done for progress in result.ranks.values())
        files = {path.name for path in run.folder.iterdir()}
        assert {f"rank_{rank}.out" for rank in range(job.ranks)} <= files
        return result


@pytest.mark.parametrize("name, launcher", PAIRS, ids=lambda value: value)
def test_job_is_healthy_and_repeats_itself(jobs, name, launcher):
    first, second = run_once(jobs[name], launcher), run_once(jobs[name], launcher)
    assert any(losses for losses in first.losses.values())
    assert first.losses == second.losses
    assert first.params == second.params
    if name not in OWN_PARAMETERS:
        assert len(set(first.params.values())) == 1
