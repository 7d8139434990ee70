"""Puts the harness on the path and gives tests the jobs of the registry."""

import os
import pathlib
import subprocess
import sys

import pytest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "lab"))

from harness import process_tree, registry


@pytest.fixture(scope="session")
def jobs():
    return registry.load_registry()


@pytest.fixture(scope="module")
def criu():
    made = subprocess.run([ROOT / "lab/envs/criu"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    os.environ["LOCKSTEP_CRIU"] = made.stdout.strip()
    yield
    del os.environ["LOCKSTEP_CRIU"]


@pytest.fixture
def star_job():
    return registry.Job("star", "system", pathlib.Path(__file__).with_name("star_job.py"), 2, ("env",))


@pytest.fixture(autouse=True)
def nothing_left():
    """Every test ends with the processes it began with, and with nothing of its own in /tmp."""
    yield
    left = [pid for pid in process_tree.descendants(os.getpid())
            if process_tree.state_of(pid) not in ("", "Z")]
    assert not left, f"processes are left: {left}"
    assert not list(pathlib.Path("/tmp").glob(f"lockstep-lab-{os.getpid()}-*"))
