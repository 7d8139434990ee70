"""One command of a recipe: its output goes to the environment's log, its failure becomes a clear message."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

TAIL_LINES = 15
INHERITED_TROUBLE = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_PRELOAD", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")


class StepFailed(Exception):
    def __init__(self, what: str, log: Path, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.log = log
        self.hint = hint


def clean_environ(extra: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in INHERITED_TROUBLE}
    return kept | {"PYTHONNOUSERSITE": "1"} | extra


def run(
    command: list[str],
    what: str,
    log: Path,
    hint: str = "the log says why",
    timeout_s: int = 3600,
    environ: dict[str, str] | None = None,
) -> None:
    """Runs `command`; raises StepFailed when it fails or takes longer than `timeout_s`."""
    print(f"{'':20} {what}", flush=True)
    with log.open("a") as out:
        out.write(f"\n==> {what}\n$ {' '.join(command)}\n")
        out.flush()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            env=clean_environ(environ or {}),
        )
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise StepFailed(f"{what}: no end after {timeout_s} s", log, hint) from None
        finally:
            end_group(process)
    if status != 0:
        raise StepFailed(f"{what}: exit status {status}", log, hint)


def end_group(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def tail(log: Path) -> str:
    return "\n".join("    " + line for line in log.read_text(errors="replace").splitlines()[-TAIL_LINES:])
