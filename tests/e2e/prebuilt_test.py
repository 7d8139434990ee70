"""Which native half a rank takes: the one that came with Lockstep, one that was compiled here, or none."""

import os
import pathlib
import shutil
import subprocess

import pytest

from recordings import PYTHON_ADAPTERS, REPOSITORY, python_with_native_half

CHOOSE = """
import sys, torch
torch.__version__ = sys.argv[1] or torch.__version__
from lockstep_torch import build
print(build.library_for(torch))
"""


@pytest.fixture(scope="module")
def adapters(tmp_path_factory):
    """The adapters as they are installed, with a real half as the one that came with them."""
    python = python_with_native_half()
    root = tmp_path_factory.mktemp("lockstep")
    for name in ("python", "pytorch"):
        shutil.copytree(PYTHON_ADAPTERS.parent / name, root / name)
    shutil.copytree(REPOSITORY / "include", root / "include")
    compiled = chosen(python, PYTHON_ADAPTERS)
    (root / "prebuilt/pytorch").mkdir(parents=True)
    minor = ".".join(compiled.parent.name.split(".")[:2])
    prebuilt = root / f"prebuilt/pytorch/{minor}-abi1.so"
    shutil.copy(compiled, prebuilt)
    return python, root / "python", prebuilt, compiled


def chosen(python, folder, version=""):
    # Undefined symbols are the recorder's.
    preload = os.environ.get("LOCKSTEP_BUILD", str(REPOSITORY / "build/release")) + "/recorder/liblockstep.so"
    done = subprocess.run([python, "-c", CHOOSE, version], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "LD_PRELOAD": preload})
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip())


def test_the_prebuilt_half_is_taken(adapters):
    python, folder, prebuilt, _ = adapters
    assert chosen(python, folder) == prebuilt


def test_one_that_does_not_load_is_passed_over(adapters):
    python, folder, prebuilt, compiled = adapters
    whole = prebuilt.read_bytes()
    try:
        prebuilt.write_bytes(b"of another architecture")
        assert chosen(python, folder) == compiled
    finally:
        prebuilt.write_bytes(whole)


def test_a_nightly_version_has_none(adapters):
    """Its C++ interface may be that of the version before or of the one after."""
    python, folder, prebuilt, _ = adapters
    version = prebuilt.name.partition("-")[0] + ".0a0+git1234567"
    environ_without_compiler = {"PATH": "/nowhere", "CXX": ""}
    done = subprocess.run([python, "-c", CHOOSE, version], capture_output=True, text=True,
                          env=os.environ | environ_without_compiler | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode != 0 and "there is no C++ compiler" in done.stderr, done.stdout + done.stderr
