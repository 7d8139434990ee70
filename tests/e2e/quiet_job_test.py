"""`lockstep diagnose` on the logs of a job that still runs: a hang is told from a pause, from work and from other programs."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from harness.recorded import BUILD

PROGRAM = """
import os, sys, threading, time
until = time.process_time() + 0.3
while time.process_time() < until:
    pass
rank = os.environ.get("RANK", "0")
for step in range(20):
    print(f"rank {rank} step {step} loss=0.{step}", flush=True)
what = sys.argv[1]
while what == "print":
    print("step loss=0.3", flush=True)
    time.sleep(0.2)
while what == "work":
    pass
if what == "end":
    sys.exit()
if what == "sleep":
    time.sleep(1000)
threading.Event().wait()
"""
DAEMON = """
import time
for i in range(2000000):
    i * i
print("listening\\naccepted\\nclosed", flush=True)
time.sleep(1000)
"""
SILENCE_S = 9  # on a busy machine lines come slowly, and the pause must be longer than two of them


class Job:
    """Ranks that write rank_N.log; they are ended with the test."""

    def __init__(self, folder, *whats: str):
        self.folder = folder
        folder.mkdir()
        self.ranks = [self._start(rank, what) for rank, what in enumerate(whats)]

    def _start(self, rank: int, what: str) -> subprocess.Popen:
        with open(self.folder / f"rank_{rank}.log", "w") as log:
            return subprocess.Popen([sys.executable, "-c", PROGRAM, what], stdout=log, stderr=log,
                                    env=os.environ | {"RANK": str(rank), "WORLD_SIZE": "3"})

    def end(self):
        for rank in self.ranks:
            rank.kill()
            rank.wait()


def wait_until_all_have_printed(paths):
    logs = [log for path in paths for log in (path.iterdir() if path.is_dir() else [path])]
    deadline = time.monotonic() + 240
    while not all(log.exists() and log.stat().st_size for log in logs):
        assert time.monotonic() < deadline, "the programs do not start"
        time.sleep(0.1)


def verdict_on(path) -> dict:
    done = subprocess.run([BUILD / "lockstep", "diagnose", "--json", path], capture_output=True, text=True)
    if done.returncode == 2 and "no training job seen" in done.stderr:
        return {"findings": [], "is_a_job": False}
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def first_of(verdict: dict) -> dict:
    return verdict["findings"][0] if verdict["findings"] else {}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """Of all at once: each has to be silent for a while. Nobody is left when the first test begins."""
    folder = tmp_path_factory.mktemp("jobs")
    made = {name: Job(folder / name, *whats) for name, whats in {
        "waits": ("wait", "wait", "wait"), "prints": ("print", "wait", "wait"), "works": ("wait", "work", "wait"),
        "stopped": ("wait", "wait", "wait"), "ended": ("wait", "end", "wait"), "odd": ("wait", "wait", "sleep")}.items()}
    tee = subprocess.Popen(["sh", "-c", f"{sys.executable} -c \"$PROGRAM\" wait | tee {folder}/tee.log > /dev/null"],
                           env=os.environ | {"PROGRAM": PROGRAM}, start_new_session=True)
    with open(folder / "daemon.log", "w") as log:
        daemon = subprocess.Popen([sys.executable, "-c", DAEMON], stdout=log)
    try:
        wait_until_all_have_printed([*(job.folder for job in made.values()), folder / "tee.log", folder / "daemon.log"])
        os.kill(made["stopped"].ranks[1].pid, signal.SIGSTOP)
        time.sleep(SILENCE_S)
        paths = {name: job.folder for name, job in made.items()} | {name: folder / f"{name}.log" for name in ("tee", "daemon")}
        return {name: verdict_on(path) for name, path in paths.items()}
    finally:
        for job in made.values():
            job.end()
        os.killpg(tee.pid, signal.SIGKILL)
        daemon.kill()
        for process in (tee, daemon):
            process.wait()


def test_all_ranks_wait(verdicts):
    finding = first_of(verdicts["waits"])
    assert finding["leaf"] == "PERF-HANG" and finding["root_ranks"] == [], finding
    assert "still runs and has printed nothing for" in finding["explanation"] and finding["confidence"] < 0.5
    assert any("py-spy dump --pid" in limit for limit in verdicts["waits"]["limits"])


def test_a_job_that_prints_is_not_silent(verdicts):
    assert verdicts["prints"]["findings"] == []


def test_a_job_that_computes_may_take_its_time(verdicts):
    assert verdicts["works"]["findings"] == []


def test_a_stopped_rank_is_named(verdicts):
    finding = first_of(verdicts["stopped"])
    assert finding["code"] == "desync.stopped_rank" and finding["root_ranks"] == [1], finding
    assert finding["victim_ranks"] == [0, 2] and finding["confidence"] > 0.5


def test_a_rank_that_ended_while_the_others_wait_is_named(verdicts):
    finding = first_of(verdicts["ended"])
    assert finding["code"] == "desync.ended_early" and finding["root_ranks"] == [1], finding


def test_a_rank_that_waits_elsewhere_is_named(verdicts):
    assert first_of(verdicts["odd"])["root_ranks"] == [2]


def test_a_job_is_found_behind_tee(verdicts):
    assert first_of(verdicts["tee"])["leaf"] == "PERF-HANG"


def test_another_program_may_be_silent(verdicts):
    assert verdicts["daemon"]["findings"] == [] and not verdicts["daemon"].get("is_a_job", True)


def test_the_log_of_a_job_that_has_ended_says_nothing(tmp_path):
    (tmp_path / "rank_0.log").write_text("step 1 loss=0.3\nstep 2 loss=0.2\n")
    assert verdict_on(tmp_path)["findings"] == []


def test_empty_logs_of_a_job_that_has_ended_are_an_error(tmp_path):
    (tmp_path / "rank_0.log").touch()
    done = subprocess.run([BUILD / "lockstep", "diagnose", tmp_path], capture_output=True, text=True)
    assert done.returncode == 2 and "empty" in done.stderr
