"""A job that hangs is caught: stacks of every rank, folder kept, one command to run it again."""

import os
import pathlib
import shlex
import shutil
import subprocess

import pytest

from harness import process_tree
from harness.errors import RunTimeout
from harness.job_run import JobRun
from harness.run_spec import RunSpec

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def lab_run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(ROOT / "lab" / "run"), *arguments], cwd=ROOT, text=True,
                          capture_output=True)


def assert_no_process_of(folder: pathlib.Path):
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                command = pathlib.Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            assert str(folder).encode() not in command, command


def test_rank_that_leaves_early(tmp_path):
    """Rank 1 leaves at step 3; rank 0 waits in backward for a gradient that never comes."""
    folder = tmp_path / "run"
    done = lab_run("torch_ddp", "--launcher", "torchrun", "--steps", "8", "--env",
                   "LAB_LEAVE_EARLY=1:3", "--stall", "5", "--timeout", "300", "-o", str(folder))
    assert done.returncode == 124, done.stderr
    assert "no rank has said anything for 5 s" in done.stderr and "rank 0: step 2" in done.stderr
    waiting = (folder / "stacks" / "rank_0.txt").read_text()
    assert "backward" in waiting, waiting
    # The last is where a busy machine shows it: still held by who read its frames.
    assert any(place in waiting for place in ("futex", "epoll", "ptrace_stop")), waiting
    assert (folder / "stacks" / "rank_1.txt").read_text().strip()
    assert_no_process_of(folder)
    again = [line for line in done.stderr.splitlines() if "run it again with: " in line]
    assert len(again) == 1
    command = shlex.split(again[0].partition("run it again with: ")[2])
    rerun = lab_run(*command[1:])
    assert rerun.returncode == 124 and "rank 0: step 2" in rerun.stderr, rerun.stderr
    _remove_kept_folder(rerun.stderr)


def test_stopped_rank(tmp_path, star_job):
    spec = RunSpec(star_job, steps=100000, timeout_s=30)
    with pytest.raises(RunTimeout, match="waiting for the job to end; rank 0: step"):
        with JobRun(spec, tmp_path / "run") as run:
            run.wait_for(1, step=5)
            run.stop(1)
            pid = run.ranks[1].pid
            run.wait(timeout_s=1)
    assert not process_tree.state_of(pid)
    assert "receive (star_job.py" in (tmp_path / "run/stacks/rank_0.txt").read_text()
    assert "T (stopped)" in (tmp_path / "run/stacks/rank_1.txt").read_text()


def _remove_kept_folder(text: str):
    kept = [line.rpartition(": ")[2] for line in text.splitlines() if "folder is kept" in line]
    shutil.rmtree(ROOT / kept[0])
