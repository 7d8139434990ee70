import json
import subprocess
import sys

import pytest

from harness import recorded, registry
from harness.errors import LabError
from harness.launchers import Plan, Process
from harness.run_spec import RunSpec

JOB = registry.Job("star", "system", registry.JOBS / "report.py", 2, ("env", "mpirun"))
SPEC = RunSpec(JOB, record=True, record_flags=["--checksums"])


@pytest.fixture(autouse=True)
def built(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "BUILD", tmp_path)
    (tmp_path / "lockstep").touch()


def test_a_launcher_is_recorded_as_it_is(tmp_path):
    plan = recorded.under_lockstep(Plan([Process("launcher", ["mpirun", "x"], {"A": "1"})]), SPEC, tmp_path)
    assert plan.processes[0].argv == [str(tmp_path / "lockstep"), "run", "-o", str(tmp_path / "recording"), "--checksums", "--",
                                      "mpirun", "x"]


def test_ranks_without_a_launcher_get_one(tmp_path):
    ranks = [Process(f"rank_{rank}", ["python3", "x"], {"RANK": str(rank), "A": "1"}) for rank in range(2)]
    (launcher,) = recorded.under_lockstep(Plan(ranks), SPEC, tmp_path).processes
    assert launcher.environ == {"A": "1"} and launcher.argv[-2].endswith("start_ranks.py")
    assert [rank["env"]["RANK"] for rank in json.loads((tmp_path / "ranks.json").read_text())] == ["0", "1"]


def test_ranks_of_hosts_are_started_on_them(tmp_path):
    ranks = [Process(f"rank_{rank}", ["python3", "x"], {}, host_pid=70 + rank) for rank in range(2)]
    (launcher,) = recorded.under_lockstep(Plan(ranks), SPEC, tmp_path).processes
    started = [rank["argv"] for rank in json.loads((tmp_path / "ranks.json").read_text())]
    assert launcher.host_pid == 0 and [argv[:3] for argv in started] == [["nsenter", "-t", "70"], ["nsenter", "-t", "71"]]


def test_several_commands_cannot_be_recorded(tmp_path):
    plan = Plan([Process(f"launcher_{host}", ["torchrun"], {}) for host in "ab"])
    with pytest.raises(LabError, match="several commands"):
        recorded.under_lockstep(plan, SPEC, tmp_path)


def test_ranks_are_started_labelled_and_the_first_failure_is_the_status(tmp_path):
    script = "import os, sys; print('rank', os.environ['RANK']); print('x', file=sys.stderr); sys.exit(3 * int(os.environ['RANK']))"
    (tmp_path / "ranks.json").write_text(json.dumps([
        {"name": f"rank_{rank}", "argv": [sys.executable, "-c", script], "env": {"RANK": str(rank)}} for rank in range(2)]))
    done = subprocess.run([sys.executable, registry.LAB / "harness/start_ranks.py", tmp_path / "ranks.json"],
                          capture_output=True, text=True)
    assert done.returncode == 3 and sorted(done.stdout.splitlines()) == ["0: rank 0", "1: rank 1"]
    assert sorted(done.stderr.splitlines()) == ["0: x", "1: x"]
    assert (tmp_path / "rank_1.out").read_text() == "rank 1\n"


def test_the_recorder_reaches_the_ranks(tmp_path):
    (tmp_path / "ranks.json").write_text(json.dumps([
        {"name": "rank_0", "argv": [sys.executable, "-c", "import os; print(os.environ['LOCKSTEP_RECORD'], os.environ['PYTHONPATH'])"],
         "env": {"PYTHONPATH": "/job", "PATH": "/bin"}}]))
    done = subprocess.run([sys.executable, registry.LAB / "harness/start_ranks.py", tmp_path / "ranks.json"],
                          capture_output=True, text=True, env={"LOCKSTEP_RECORD": "/r", "PYTHONPATH": "/adapters:/job"})
    assert done.stdout == "0: /r /adapters:/job\n"
