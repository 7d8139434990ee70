"""Horovod's wheel: built from its pinned source against one environment, once per framework and Open MPI version."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

from definition import HOROVOD_LOCK, Environment, cache_root
from step import StepFailed, run

BUILD_SWITCHES = {
    "HOROVOD_WITH_MPI": "1",
    "HOROVOD_WITH_GLOO": "1",
    "HOROVOD_WITHOUT_MXNET": "1",
}
BUILD_HINT = "Horovod did not build; the first line with 'error' in the log says why. Compilers missing? run: make deps"


def install(environment: Environment, python: Path, log: Path) -> None:
    wheel = find_or_build(environment, python, log)
    run([str(python), "-m", "pip", "install", "--no-index", "--no-deps", str(wheel)], what="install Horovod", log=log)


def find_or_build(environment: Environment, python: Path, log: Path) -> Path:
    shelf = cache_root() / "wheels" / f"{environment.name}-{fingerprint(environment)}"
    if not shelf.exists():
        build(environment, python, shelf, log)
    return next(shelf.glob("horovod-*.whl"))


def fingerprint(environment: Environment) -> str:
    settings = {"debian": environment.debian_versions(), "switches": BUILD_SWITCHES | environment.horovod}
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for lock in (environment.lock, HOROVOD_LOCK):
        digest.update(lock.read_bytes())
    return digest.hexdigest()[:12]


def build(environment: Environment, python: Path, shelf: Path, log: Path) -> None:
    """The work folder's name is stable, so that ccache finds the objects of an interrupted build."""
    work = cache_root() / "build" / environment.name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    pip = [str(python), "-m", "pip"]
    no_helpers = ["--no-deps", "--no-build-isolation"]
    caches = {"PIP_CACHE_DIR": str(cache_root() / "pip"), "CCACHE_DIR": str(cache_root() / "ccache")}
    jobs = {"MAKEFLAGS": f"-j{os.cpu_count()}"}
    pinned = ["--require-hashes", "--no-binary", ":all:", "-r", str(HOROVOD_LOCK)]
    run(
        [*pip, "download", *no_helpers, *pinned, "-d", str(work)], what="fetch Horovod's source", log=log,
        hint="when it is the network, run the same command again", environ=caches,
    )
    shutil.unpack_archive(next(work.glob("horovod-*.tar.gz")), work / "source")
    (source,) = (work / "source").iterdir()
    run(
        [*pip, "wheel", "--verbose", *no_helpers, "-w", str(work), str(source)], what="build Horovod (minutes)",
        log=log, hint=BUILD_HINT, environ=caches | jobs | BUILD_SWITCHES | environment.horovod,
    )
    if not list(work.glob("horovod-*.whl")):
        raise StepFailed("build Horovod: pip made no wheel", log, BUILD_HINT)
    shutil.rmtree(work / "source")
    shelf.parent.mkdir(exist_ok=True)
    work.rename(shelf)
