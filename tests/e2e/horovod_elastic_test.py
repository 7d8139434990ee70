"""Elastic Horovod under `lockstep run`: a worker is killed, the others get new ranks and go on. The two lives of the job are
kept apart: nothing is found in a job that went on, and a rank that is at fault later is named by its new number."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from harness.registry import REPOSITORY, python_of
from recorded_verdict import in_short
from recordings import LOCKSTEP, diagnose

JOB = pathlib.Path(__file__).parent / "horovod_jobs/torch_elastic.py"
LIMIT_S = 600
GLOO_TIMEOUT_S = 10  # by then a rank has noticed that the one it listens to is gone


def elastic_job(recording, fault=""):
    python = python_of("horovod-torch")
    here = os.path.dirname(python)
    # Two names of this host: one that lost a worker is not used again. Horovod keeps them in a set; hashed so, the first
    # stays the first, and its worker is rank 0.
    command = [f"{here}/horovodrun", "--gloo", "-np", "3", "--min-np", "2", "--max-np", "3", "-H", "127.0.0.1:1,localhost:2",
               "--network-interfaces", "lo", python, JOB]
    environ = os.environ | {"PATH": f"{here}:{os.environ['PATH']}", "LAB_JOBS": str(REPOSITORY / "lab/jobs"),
                            "LAB_DIES": "0@2", "LAB_FAULT": fault, "OMP_NUM_THREADS": "1",
                            "HOROVOD_GLOO_TIMEOUT_SECONDS": str(GLOO_TIMEOUT_S), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "4"}
    return subprocess.Popen([LOCKSTEP, "run", "-o", recording, "--", *command], env=environ, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture
def two_jobs(tmp_path):
    """At a time: most of it is waiting."""
    jobs = [elastic_job(tmp_path / "healthy"), elastic_job(tmp_path / "faulty", "missing:1@4")]
    yield jobs
    for job in jobs:
        job.send_signal(signal.SIGTERM)
        job.communicate(timeout=LIMIT_S)


def header_of(path):
    said = subprocess.run([LOCKSTEP, "dump", "--json", path], capture_output=True, text=True)
    return json.loads(said.stdout.splitlines()[0])


def check_lives(recording):
    """Who was rank 1 and 2 is rank 0 and 1 in the second life, in files of their own."""
    headers = [header_of(path) for path in sorted(recording.glob("*.lockstep"))]
    pids = {(header["restart"], header["rank"]): header["pid"] for header in headers}
    assert sorted(pids) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    assert (pids[1, 0], pids[1, 1]) == (pids[0, 1], pids[0, 2])
    assert {header["world_size"] for header in headers if header["restart"] == 1} == {2}


def check_taken_back(err):
    """The job may go on before anything is said of the killed rank; what was said is over then."""
    said = re.findall(r"^lockstep: [0-9.]+ s: .*", err, re.MULTILINE)
    assert not said or "what was said of rank 0 is over" in said[-1], err


def wait_for(finding, recording):
    deadline = time.monotonic() + LIMIT_S
    found = []
    while time.monotonic() < deadline:
        if list(recording.glob("*.restart_1.lockstep")) and finding in (found := in_short(diagnose(recording))):
            return
        time.sleep(0.5)
    raise AssertionError(f"found {found}")


def test_the_lives_of_an_elastic_job_are_kept_apart(two_jobs, tmp_path):
    healthy, _ = two_jobs
    out, err = healthy.communicate(timeout=LIMIT_S)
    assert healthy.returncode == 0 and out.count(" done params=") == 2, err
    assert "nothing wrong found; 2 ranks (horovod" in err, err
    check_taken_back(err)
    check_lives(tmp_path / "healthy")
    verdict = diagnose(tmp_path / "healthy")
    assert verdict["findings"] == [] and verdict["job"]["world_size"] == 2, json.dumps(verdict, indent=1)
    wait_for(("PERF-HANG", "desync.missing_rank", 1), tmp_path / "faulty")
    check_lives(tmp_path / "faulty")
