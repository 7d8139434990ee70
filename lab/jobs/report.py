"""The lines every job prints; the harness reads them."""

from __future__ import annotations

import atexit
import hashlib
import os
import signal
import sys
import time
from collections.abc import Iterable


def ready(rank: int, world: int) -> None:
    say(f"lab rank={rank} ready pid={os.getpid()} world={world}")


def step(rank: int, step: int, loss: float) -> None:
    say(f"lab rank={rank} step={step} loss={loss:.9g}")


def done(rank: int, parameters: Iterable[bytes]) -> None:
    digest = hashlib.sha256(b"".join(parameters)).hexdigest()[:16]
    say(f"lab rank={rank} done params={digest}")
    if "torch" in sys.modules:
        # PyTorch aborts where a thread of Gloo lets go of its last call only when Python has begun to end.
        atexit.register(time.sleep, 0.3)


def fault(rank: int, kind: str) -> None:
    """At the instant of a fault; the two that a process does to itself are done here."""
    say(f"lab rank={rank} fault={kind} at={time.time():.3f}")
    if kind in ("kill", "stop"):
        os.kill(os.getpid(), {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}[kind])


def say(line: str) -> None:
    """One write per line: ranks that share a pipe do not cut into each other's lines."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
