"""What an environment is: its table in envs.toml, the files that determine it, its place in the cache."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SYSTEM_PYTHON = "/usr/bin/python3"
HOROVOD_LOCK = HERE / "locks" / "horovod.lock"
RECIPE = [HERE / "assembly.py", HERE / "launch.py"]
HOROVOD_RECIPE = [HERE / "horovod_wheel.py", HOROVOD_LOCK]
NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Environment:
    name: str
    holds: str
    requires: list[str]
    check: str
    launchers: list[str]
    leave_out: list[str] = field(default_factory=list)
    debian: list[str] = field(default_factory=list)
    system_packages: bool = False
    horovod: dict[str, str] = field(default_factory=dict)

    @property
    def lock(self) -> Path:
        return HERE / "locks" / f"{self.name}.lock"

    @property
    def check_script(self) -> Path:
        return HERE / "checks" / self.check

    def debian_versions(self) -> dict[str, str]:
        return {package: debian_version(package) for package in self.debian}

    def fingerprint(self) -> str:
        digest = hashlib.sha256()
        settings = {
            "debian": self.debian_versions(),
            "system_packages": self.system_packages,
            "horovod": self.horovod,
            "launchers": self.launchers,
        }
        digest.update(json.dumps(settings, sort_keys=True).encode())
        for path in [self.lock, self.check_script, *RECIPE, *(HOROVOD_RECIPE if self.horovod else [])]:
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:12]

    def directory(self) -> Path:
        return cache_root() / f"{self.name}-{self.fingerprint()}"


def cache_root() -> Path:
    if chosen := os.environ.get("LOCKSTEP_LAB_CACHE"):
        return Path(chosen).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "lockstep-lab"


def debian_version(package: str) -> str:
    query = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package], capture_output=True, text=True
    )
    status, _, version = query.stdout.partition(" ")
    return version if status == "installed" else NOT_INSTALLED


def read_environments() -> dict[str, Environment]:
    tables = tomllib.loads((HERE / "envs.toml").read_text())["env"]
    return {name: Environment(name=name, **table) for name, table in tables.items()}
