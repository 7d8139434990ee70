"""Makes one environment: Debian packages there, venv, pinned wheels, Horovod where asked for, proof that it works."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import horovod_wheel
from definition import NOT_INSTALLED, SYSTEM_PYTHON, Environment, cache_root
from launch import launch_check
from step import StepFailed, run

INDEX_HINT = "look at the log; when it is the network, run the same command again: finished downloads are kept"
CPU_WHEEL_HINT = (
    "the lock file wants PyTorch's CPU wheel (its version ends in +cpu) and pip found no such wheel, or another build; "
    "put the CPU wheel in a folder and run again with PIP_FIND_LINKS=that-folder"
)


def python_of(directory: Path) -> Path:
    return directory / "bin" / "python"


def proof_of(directory: Path) -> Path:
    """Written last. A folder without it is unfinished and is made again."""
    return directory / "verified.json"


def is_ready(directory: Path) -> bool:
    return proof_of(directory).exists()


def make(environment: Environment, directory: Path, log: Path) -> dict[str, float]:
    started = time.monotonic()
    require_debian_packages(environment, log)
    create_venv(environment, directory, log)
    install_locked(environment, directory, log)
    if environment.horovod:
        horovod_wheel.install(environment, python_of(directory), log)
    for launcher in environment.launchers:
        launch_check(python_of(directory), environment.check_script, launcher, log)
    return write_proof(directory, time.monotonic() - started)


def require_debian_packages(environment: Environment, log: Path) -> None:
    missing = [name for name, version in environment.debian_versions().items() if version == NOT_INSTALLED]
    if missing:
        raise StepFailed(f"Debian packages missing: {' '.join(missing)}", log, "run: make deps")


def create_venv(environment: Environment, directory: Path, log: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    options = ["--system-site-packages"] if environment.system_packages else []
    run([SYSTEM_PYTHON, "-m", "venv", *options, str(directory)], what="create the venv", log=log, hint="run: make deps")


def install_locked(environment: Environment, directory: Path, log: Path) -> None:
    pip = [str(python_of(directory)), "-m", "pip", "install", "--require-hashes", "--no-deps", "--progress-bar", "off"]
    try:
        run(
            [*pip, "--ignore-installed", "-r", str(environment.lock)], what=f"install {environment.lock.name}", log=log,
            hint=INDEX_HINT, environ={"PIP_CACHE_DIR": str(cache_root() / "pip")},
        )
    except StepFailed as failure:
        failure.hint = CPU_WHEEL_HINT if found_other_torch(log) else failure.hint
        raise


def found_other_torch(log: Path) -> bool:
    said = log.read_text(errors="replace")
    refused = "DO NOT MATCH THE HASHES" in said and "torch==" in said.partition("DO NOT MATCH THE HASHES")[2]
    return refused or "No matching distribution found for torch==" in said


def write_proof(directory: Path, seconds: float) -> dict[str, float]:
    size = sum(path.lstat().st_size for path in directory.rglob("*") if not path.is_dir())
    proof = {"seconds": round(seconds, 1), "bytes": size}
    unfinished = directory / "verified.json.new"
    unfinished.write_text(json.dumps(proof) + "\n")
    unfinished.rename(proof_of(directory))
    return proof
