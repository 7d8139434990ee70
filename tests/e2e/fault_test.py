"""Each thing the harness can do to a rank is seen to have its effect."""

import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from harness import process_tree, rank_control
from harness.fault_spec import parse_fault
from harness.job_run import JobRun
from harness.run_spec import RunSpec


def cpu_seconds(pid: int) -> float:
    fields = process_tree.stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_with(job, *faults: str, **keywords):
    return JobRun(RunSpec(job, faults=[parse_fault(fault) for fault in faults],
                          **({"timeout_s": 300} | keywords)))


def test_killed_rank_takes_the_torch_job_down(jobs):
    with run_with(jobs["torch_ddp"], "kill:1@2", launcher="env", steps=100000) as run:
        result = run.wait()
        assert result.exits["rank_1"] == 137
        assert result.exits["rank_0"] not in (0, 137)
        assert "Connection" in (run.folder / "rank_0.err").read_text()
        assert [struck["fault"] for struck in result.faults] == ["kill:1@2"]


def test_stopped_rank_holds_the_others_until_it_continues(star_job):
    with run_with(star_job, steps=6000) as run:
        run.wait_for(1, step=5)
        run.stop(1)
        run.let_pass(0.3)
        pid, steps = run.ranks[1].pid, run.ranks[0].last_step
        used = cpu_seconds(pid)
        run.let_pass(0.5)
        assert process_tree.state_of(pid) == "T" and not run.ended
        assert cpu_seconds(pid) == used and run.ranks[0].last_step == steps < 5999
        run.resume(1)
        assert run.wait().status == 0


def test_delay_pauses_a_rank_for_its_time(star_job):
    with run_with(star_job, steps=10**6) as run:
        run.wait_for(1, step=3)
        began = time.monotonic()
        run.strike("delay:1:1.5")
        assert run.faults.struck[0]["effect"] == "paused for 1.5 s"
        run.let_pass(0.5)
        assert process_tree.state_of(run.ranks[1].pid) == "T"
        run.wait_for(1, step=run.ranks[1].last_step + 1)
        assert time.monotonic() - began > 1.5


def test_fault_strikes_at_the_step_it_names(star_job):
    with run_with(star_job, "delay:1@3:0.2", steps=10**6) as run:
        run.wait_for(1, step=1000)
        assert [struck["fault"] for struck in run.faults.struck] == ["delay:1@3:0.2"]


@pytest.mark.parametrize("way", ["control group", "stop and continue"])
def test_starved_rank_gets_its_share_only(star_job, way, monkeypatch):
    if way == "stop and continue":
        monkeypatch.setattr(rank_control, "_make_group", lambda rank, pid, percent: None)
    with run_with(star_job, steps=10**6, environ={"LAB_SPIN": "200000"}) as run:
        run.wait_for(1, step=2)
        run.strike("starve:1:10")
        assert way in run.faults.struck[0]["effect"]
        pid, before, began = run.ranks[1].pid, cpu_seconds(run.ranks[1].pid), time.monotonic()
        run.let_pass(2)  # many periods of a control group
        share = (cpu_seconds(pid) - before) / (time.monotonic() - began)
        assert share < 0.2, f"the starved rank had {share:.0%} of a core"


def test_one_rank_has_its_own_variable_and_file(star_job, tmp_path):
    replacement = tmp_path / "hostname"
    replacement.write_text("a file of rank 1 alone\n")
    spec = RunSpec(star_job, steps=10**6, rank_environ={1: {"LAB_VALUE": "41"}}, timeout_s=300,
                   rank_files={1: {"/etc/hostname": str(replacement)}})
    with JobRun(spec) as run:
        run.wait_for(0, step=0)
        assert float(run.ranks[0].losses[0]) == 42
        seen = [pathlib.Path(f"/proc/{run.ranks[rank].pid}/root/etc/hostname").read_text()
                for rank in (0, 1)]
        assert seen[1] == "a file of rank 1 alone\n" != seen[0]
        assert "LAB_VALUE" not in process_tree.environ_of(run.ranks[0].pid)


def test_rank_variable_reaches_one_rank_under_torchrun(jobs):
    spec = RunSpec(jobs["torch_ddp"], "torchrun", steps=100000, timeout_s=300,
                   rank_environ={1: {"LAB_MARK": "only here"}})
    with JobRun(spec) as run:
        run.wait_ready()
        marks = [process_tree.environ_of(run.ranks[rank].pid).get("LAB_MARK") for rank in (0, 1)]
        assert marks == [None, "only here"]


def test_dropped_connection_is_a_reset(star_job):
    with run_with(star_job, "drop:0-1@3", steps=10**6) as run:
        result = run.wait()
        assert result.faults[0]["effect"] == "reset 1 connections"
        assert result.exits["rank_0"] == 1 and result.exits["rank_1"] == 1
        errors = [(run.folder / f"rank_{rank}.err").read_text() for rank in (0, 1)]
        assert all("Error" in text for text in errors)


def test_dead_harness_takes_the_job_with_it(star_job, tmp_path):
    """SIGKILL of the harness process: its ranks, its hosts and its scratch folder go too."""
    script = textwrap.dedent(f"""
        import pathlib, sys
        sys.path.insert(0, {str(pathlib.Path(rank_control.__file__).parent.parent)!r})
        from harness.registry import Job
        from harness.job_run import JobRun
        from harness.run_spec import RunSpec
        job = Job("star", "system", pathlib.Path({str(star_job.script)!r}), 2, ("env",))
        with JobRun(RunSpec(job, hosts=2, steps=10**8), {str(tmp_path / "run")!r}) as run:
            run.wait_ready()
            pids = [run._keeper.pid, run.hosts._maker.pid, run.hosts[0].pid, run.hosts[1].pid]
            print(*(pids + [run.ranks[rank].pid for rank in (0, 1)]), flush=True)
            run.wait()
    """)
    harness = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in harness.stdout.readline().split()]
    assert len(pids) == 6
    descriptors = [os.pidfd_open(pid) for pid in pids]
    scratch = json.loads((tmp_path / "run/plan.json").read_text())["remove_when_orphaned"][0]
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    harness.stdout.close()
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], 60)[0], "a process outlived the harness"
        os.close(descriptor)
    assert not os.path.exists(scratch)
