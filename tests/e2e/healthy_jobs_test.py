"""Every job of the registry is healthy under every launcher it names, and gives the same losses and
parameters when it runs again."""

import pytest

from harness.job_run import JobRun, RunResult
from harness.registry import load_registry
from harness.run_spec import RunSpec

STEPS = 4
PAIRS = [(job.name, launcher) for job in load_registry().values() for launcher in job.launchers]


def run_once(job, launcher: str) -> RunResult:
    with JobRun(RunSpec(job, launcher, steps=STEPS, seed=7, timeout_s=100)) as run:
        result = run.wait()
        assert result.status == 0, (run.folder / "launcher.err").read_text()[-2000:] \
            if (run.folder / "launcher.err").exists() else result.exits
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
