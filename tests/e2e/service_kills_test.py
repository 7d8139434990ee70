"""kill -9 of the service and of the supervisors of its jobs, in any order and at any moment: no job is lost, none runs twice that
did not have to, no line of a success is missing, and nothing is left. LOCKSTEP_KILLS says how often; `make test-kills` has 300."""

import collections
import os
import pathlib
import random
import re
import signal
import time

import pytest

from service_client import JOBS, Service, wait_until

KILLS = int(os.environ.get("LOCKSTEP_KILLS", "12"))
AT_ONCE = 6  # jobs that run or wait, so that there is always something to kill
LINES = 10


@pytest.fixture
def service(tmp_path):
    with Service(tmp_path / "s") as made:
        yield made


def post(service, body, key):
    try:
        status, job = service.post(body, {"Idempotency-Key": key})
    except OSError:
        return None
    assert status == 201, job
    return job["id"]


def supervisors(folder):
    """Of attempts that run: job and process."""
    found = []
    for mark in folder.glob("jobs/*/*/started"):
        try:
            pid = int(mark.read_text() or 0)
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") if pid else []
            if b"service-part" in words and str(mark.parent).encode() in words:
                found.append((mark.parts[-3], pid))
        except (OSError, ValueError):
            continue
    return found


def parts_of(folder):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder).encode() in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_kills_of_service_and_supervisors(service, tmp_path):
    chance = random.Random(KILLS)
    command = ["/usr/bin/python3", "-u", str(JOBS / "count.py"), str(LINES), "0.02", str(tmp_path)]
    names, killed = [], collections.Counter()
    kills = collections.Counter()
    open_jobs = []
    while sum(kills.values()) < KILLS:
        while len(open_jobs) < AT_ONCE:
            body = {"command": command, "workers": 1 + len(names) % 2, "retries": KILLS, "repairs": 0}
            names.append(wait_until(lambda: post(service, body, f"job-{len(names)}"), "the job is accepted"))
            open_jobs.append(names[-1])
        time.sleep(chance.uniform(0, 0.4))  # the moment is what varies
        running = supervisors(service.folder)
        if running and chance.random() < 0.5:
            name, pid = chance.choice(running)
            killed[name] += 1  # before: it may be heard of at once
            os.kill(pid, signal.SIGKILL)
            kills["supervisor"] += 1
        else:
            service.kill()
            kills["service"] += 1
            if chance.random() < 0.3 and running:  # both at once
                name, pid = chance.choice(running)
                killed[name] += 1
                os.kill(pid, signal.SIGKILL)
                kills["supervisor"] += 1
            service.start()
        open_jobs = [name for name in open_jobs if service.job(name)["state"] in ("QUEUED", "RUNNING")]
    for name in names:
        done = service.wait_for(name)
        workers = done["request"]["workers"]
        assert done["state"] == "SUCCEEDED", (done, service.get(f"/v1/jobs/{name}/events")[1])
        assert done["attempts"] <= 1 + killed[name], (killed[name], service.get(f"/v1/jobs/{name}/events")[1])
        text = service.get(f"/v1/jobs/{name}/logs?attempt={done['attempts']}")[1]
        for rank in range(workers):
            said = [line for line in text.splitlines() if line.startswith(f"[{rank}] ")]
            assert said[-LINES:] == [f"[{rank}] rank {rank} of {workers} line {line}" for line in range(LINES)], said
    ran = collections.Counter((tmp_path / "ran").read_text().splitlines())
    for name in names:
        done = service.job(name)
        for rank in range(done["request"]["workers"]):
            assert 1 <= ran[f"{name} {rank}"] <= done["attempts"], "a rank runs once in an attempt"
    assert {re.split(" ", line)[0] for line in ran} == set(names)
    wait_until(lambda: set(parts_of(service.folder)) == {service.process.pid}, "nothing of the jobs is left")
    print(f"{kills['service']} kills of the service, {kills['supervisor']} of supervisors, {len(names)} jobs, "
          f"{sum(service.job(name)['attempts'] for name in names)} attempts")
