"""kill -9 of the service, of the supervisors of its attempts and of Slurm's controller, in any order and at any moment, while jobs
start, run and end in a real Slurm: no job is lost, no rank runs twice in an attempt, every line of a success is there, and Slurm is
left with nothing. LOCKSTEP_KILLS says how often."""

import collections
import os
import random
import signal
import time

import pytest

from cluster_service import ClusterService
from service_client import JOBS, wait_until
from service_kills_test import supervisors
from slurmlab.cluster import Cluster

KILLS = int(os.environ.get("LOCKSTEP_KILLS", "9"))
AT_ONCE = 3
LINES = 8
PATIENCE_S = 300


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path / "slurm", nodes=2, cpus=4) as made:
        yield made


@pytest.fixture
def service(tmp_path, cluster):
    with ClusterService(tmp_path / "s", cluster, "--engine", "slurm") as made:
        yield made


def accepted(service, body, key):
    """None: it did not get through; a controller that is away is said by the field of the engine."""
    try:
        status, job = service.post(body, {"Idempotency-Key": key})
    except OSError:
        return None
    if status == 422:
        assert [one["pointer"] for one in job["errors"]] == ["/engine"], job
        return None
    assert status == 201, job
    return job["id"]


def test_kills_of_service_supervisors_and_controller(service, cluster, tmp_path):
    chance = random.Random(KILLS)
    command = ["/usr/bin/python3", "-u", str(JOBS / "count.py"), str(LINES), "0.1", str(tmp_path)]
    names, open_jobs = [], []
    kills, disturbed = collections.Counter(), collections.Counter()
    while sum(kills.values()) < KILLS:
        while len(open_jobs) < AT_ONCE:
            workers = 1 + len(names) % 2
            body = {"command": command, "workers": workers, "nodes": workers, "retries": KILLS, "repairs": 0, "gpus_per_worker": 0}
            names.append(wait_until(lambda: accepted(service, body, f"job-{len(names)}"), "the job is accepted", PATIENCE_S))
            open_jobs.append(names[-1])
        time.sleep(chance.uniform(0, 1.5))  # the moment is what varies
        running = supervisors(service.folder)
        what = chance.choice(["service", "controller", "supervisor" if running else "service"])
        kills[what] += 1
        if what == "supervisor":
            name, pid = chance.choice(running)
            disturbed[name] += 1
            os.kill(pid, signal.SIGKILL)
        elif what == "service":
            service.kill()
            service.start()
        else:
            for name in open_jobs:  # Slurm itself forgets what it has not written down
                disturbed[name] += 1
            cluster.kill_controller()
            time.sleep(chance.uniform(0, 3))
            cluster.revive_controller()
        open_jobs = [name for name in open_jobs if service.job(name)["state"] in ("QUEUED", "RUNNING")]
    for name in names:
        done = service.wait_for(name, limit_s=PATIENCE_S)
        events = service.events(name)
        assert done["state"] == "SUCCEEDED", (done["reason"], events)
        assert done["attempts"] <= 1 + disturbed[name], (disturbed[name], events)
        said = (service.folder / "jobs" / name / str(done["attempts"]) / "output").read_text()
        workers = done["request"]["workers"]
        for rank in range(workers):
            lines = [f"rank {rank} of {workers} line {line}" for line in range(LINES)]
            assert [line for line in lines if said.count(line) != 1] == [], (events, said)
    ran = collections.Counter((tmp_path / "ran").read_text().splitlines())
    for name in names:
        done = service.job(name)
        for rank in range(done["request"]["workers"]):
            assert 1 <= ran[f"{name} {rank}"] <= done["attempts"], (ran, service.events(name))
    wait_until(lambda: not cluster.run(["squeue", "-h", "-t", "pending,running"]).strip(), "Slurm has no job", PATIENCE_S)
    print(f"{dict(kills)}, {len(names)} jobs, {sum(service.job(name)['attempts'] for name in names)} attempts")


def test_a_controller_that_is_away_refuses_nothing(service, cluster):
    """Killed when the job was accepted and not handed in yet, or handed in and not answered."""
    stopped = cluster._controller.pid
    os.kill(stopped, signal.SIGSTOP)  # the service knows what it was told some seconds ago
    status, job = service.post({"command": ["/bin/sh", "-c", "echo rank $RANK"], "workers": 1, "gpus_per_worker": 0})
    os.kill(stopped, signal.SIGCONT)
    cluster.kill_controller()
    if status == 201:
        time.sleep(4)
    cluster.revive_controller()
    if status != 201:
        assert [one["pointer"] for one in job["errors"]] == ["/engine"], job
        job = service.post({"command": ["/bin/sh", "-c", "echo rank $RANK"], "workers": 1, "gpus_per_worker": 0})[1]
    done = service.wait_for(job["id"], limit_s=PATIENCE_S)
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 1), service.events(job["id"])
