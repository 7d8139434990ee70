"""Real broken jobs: `lockstep diagnose` names leaf, scope and rank of the fault from the folder each of them left.

Every run tries the quick ones, some for each framework and kind of end; LOCKSTEP_BROKEN=all (make test-broken) tries
all."""

import json
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOCKSTEP = ROOT / "build" / "release" / "lockstep"
CASES = ROOT / "tests" / "cases" / "diagnose"
sys.path[:0] = [str(ROOT / "lab" / "broken"), str(ROOT / "tests" / "dumps")]

import broken_jobs
from facts import check

JOBS = broken_jobs.load()
TRIES_ALL = os.environ.get("LOCKSTEP_BROKEN") == "all"
TRIED = [name for name, job in JOBS.items() if TRIES_ALL or job.is_quick]


@pytest.mark.parametrize("name", TRIED)
def test_verdict_on_what_a_broken_job_left(name, tmp_path):
    job = JOBS[name]
    ended = job.run(tmp_path / "logs")
    faults, verdict = check(LOCKSTEP, tmp_path, job.facts)
    assert not faults, f"{name} ({ended}): {faults}\n{verdict}"


def test_quick_jobs_cover_every_framework():
    quick = [job for job in JOBS.values() if job.is_quick]
    assert {job.framework for job in quick} == {job.framework for job in JOBS.values()}
    assert len(quick) <= 12


@pytest.mark.parametrize("name", JOBS)
def test_the_kept_logs_of_a_job_expect_what_its_table_says(name):
    kept = json.loads((CASES / f"real_{name}" / "expected_facts.json").read_text())
    assert kept == JOBS[name].facts
