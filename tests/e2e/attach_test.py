"""`lockstep attach` on real jobs that were started without Lockstep: who began the hang, and silence on those at work."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness.ports import PortClaims
from harness.recorded import BUILD
from harness.registry import python_of

SCRIPT = Path(__file__).parent / "attach_jobs/hang.py"
RANKS = 3
JOBS = ("fifo", "lock", "barrier", "spin", "healthy", "stopped", "spawn")


class Job:
    def __init__(self, name: str, folder: Path, port: int):
        self.name = name
        self.log = folder / f"{name}.log"
        self.ranks = []
        fifo = folder / "nothing"
        if not fifo.exists():
            os.mkfifo(fifo)
        common = os.environ | {"ATTACH_FIFO": str(fifo), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        python = python_of("torch")
        with open(self.log, "w") as log:
            if name == "spawn":
                self.ranks.append(subprocess.Popen([python, SCRIPT, "lock", "spawn"], env=common, stdout=log, stderr=log))
                return
            what = "healthy" if name == "stopped" else name
            for rank in range(RANKS):
                self.ranks.append(subprocess.Popen([python, SCRIPT, what], stdout=log, stderr=log,
                                                   env=common | {"RANK": str(rank), "WORLD_SIZE": str(RANKS),
                                                                 "LOCAL_WORLD_SIZE": str(RANKS)}))

    def wait_until_it_is_there(self, deadline: float) -> None:
        word = "step 40" if self.name in ("healthy", "stopped") else "misbehaves"
        while word not in self.log.read_text():
            assert time.monotonic() < deadline, f"{self.name}: {self.log.read_text()[-2000:]}"
            time.sleep(0.2)

    def end(self) -> None:
        for rank in self.ranks:
            rank.send_signal(signal.SIGCONT)
            rank.send_signal(signal.SIGTERM if self.name == "spawn" else signal.SIGKILL)
        for rank in self.ranks:
            rank.wait()


def attach(*words) -> subprocess.CompletedProcess:
    path = f"{Path(python_of('stacks')).parent}:{os.environ['PATH']}"
    return subprocess.run([BUILD / "lockstep", "attach", *map(str, words)], capture_output=True, text=True,
                          env=os.environ | {"PATH": path}, timeout=120)


@pytest.fixture(scope="module")
def looks(tmp_path_factory):
    """What attach says of each job, once all of them are where they should be; none is left when the first test begins."""
    folder = tmp_path_factory.mktemp("jobs")
    ports = PortClaims()
    jobs = {name: Job(name, folder, ports.claim()) for name in JOBS}
    try:
        deadline = time.monotonic() + 240
        for job in jobs.values():
            job.wait_until_it_is_there(deadline)
        jobs["stopped"].ranks[1].send_signal(signal.SIGSTOP)
        time.sleep(6)  # ranks wait for as long before it counts as a hang
        done = {name: attach(job.ranks[-1].pid, "--json", "-o", folder / f"saved_{name}") for name, job in jobs.items()}
        done["text"] = attach(jobs["lock"].ranks[0].pid)
        states = [Path(f"/proc/{rank.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
                  for name, job in jobs.items() if name != "stopped" for rank in job.ranks]
        done["states"] = states
        done["folder"] = folder
        return done
    finally:
        for job in jobs.values():
            job.end()
        ports.release()


def finding_in(done: subprocess.CompletedProcess) -> dict:
    assert done.returncode == 1, done.stderr + done.stdout
    findings = json.loads(done.stdout)["findings"]
    assert len(findings) == 1
    assert findings[0]["evidence"]
    return findings[0]


@pytest.mark.parametrize("name, code, place", [
    ("fifo", "desync.missing_rank", "never_comes"), ("lock", "desync.missing_rank", "waits_for_lock"),
    ("barrier", "desync.different_calls", "barrier"), ("spawn", "desync.missing_rank", "waits_for_lock"),
    ("stopped", "desync.stopped_rank", "")])
def test_the_rank_that_the_others_wait_for_is_named(looks, name, code, place):
    finding = finding_in(looks[name])
    assert finding["code"] == code
    assert finding["root_ranks"] == [1]
    assert finding["victim_ranks"] == [0, 2]
    assert place in finding["title"]


def test_a_job_at_work_is_left_in_peace(looks):
    done = looks["healthy"]
    assert done.returncode == 0, done.stdout
    said = json.loads(done.stdout)
    assert said["findings"] == [] and said["attach"]["summary"]


def test_a_rank_that_computes_is_named_as_such(looks):
    """For a minute it may be at work, so nothing is found; later it is what the others wait for. How long it took here is open."""
    said = json.loads(looks["spin"].stdout)
    if said["findings"]:
        assert said["findings"][0]["root_ranks"] == [1] and said["findings"][0]["confidence"] < 0.7
    else:
        assert "rank 1 is working at hang.py" in said["attach"]["summary"]


def test_what_a_person_sees_fits_on_a_screen(looks):
    lines = looks["text"].stdout.splitlines()
    assert len(lines) <= 30
    assert lines[0] == "hang.py: looked at 3 ranks"
    assert "rank 1" in "".join(lines[1:4]) and "waits_for_lock" in "".join(lines[1:4])
    assert any(line.startswith("Rank 1 is at") for line in lines)


def test_the_job_goes_on_as_before(looks):
    assert "T" not in looks["states"] and "Z" not in looks["states"]


def test_what_was_saved_can_be_judged_elsewhere(looks):
    done = subprocess.run([BUILD / "lockstep", "diagnose", "--json", looks["folder"] / "saved_lock"], capture_output=True, text=True)
    assert json.loads(done.stdout)["findings"][0]["root_ranks"] == [1]


def test_no_job_is_no_success():
    done = attach(os.getpid())
    assert done.returncode == 2 and "no rank of a distributed job" in done.stderr
