"""The parts of adapters that are built for the user's framework compile without a warning. Other tests need them:
a build takes longer than a job."""

import os
import pathlib
import subprocess

import pytest

from harness.registry import python_of
from recordings import PYTHON_ADAPTERS


@pytest.mark.parametrize("env, adapter", [
    ("torch", "lockstep_torch"), ("torch113", "lockstep_torch"), ("tensorflow", "lockstep_tensorflow"),
    ("horovod-torch", "lockstep_torch"), ("horovod-tensorflow", "lockstep_tensorflow")])
def test_it_compiles_without_a_warning(env, adapter):
    built = subprocess.run([python_of(env), "-m", f"{adapter}.build"], capture_output=True, text=True,
                           env=os.environ | {"PYTHONPATH": str(PYTHON_ADAPTERS), "PYTHONDONTWRITEBYTECODE": "1"})
    assert built.returncode == 0, built.stderr
    assert pathlib.Path(built.stdout.strip()).with_name("warnings").read_text() == ""
