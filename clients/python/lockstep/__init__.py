"""Training jobs without hosts, ports or ranks.

    import lockstep

    @lockstep.train(workers=4)
    def main():
        ...            # what every rank does

    main()

Run as an ordinary script, `main()` hands the script to Lockstep's service, shows what the ranks print and returns when
the job is over. In the ranks of that job the same call runs the function. Needs the program `lockstep` in PATH (or its
path in LOCKSTEP_PROGRAM) and nothing else.
"""

from __future__ import annotations

import functools
import inspect
import os
import subprocess
import sys
from collections.abc import Callable

__all__ = ["JobFailed", "is_in_job", "train"]


class JobFailed(RuntimeError):
    """The job did not succeed; `status` is that of the rank which failed first, 2 when it was not accepted."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the job ended with status {status}; Lockstep said why above")
        self.status = status


def is_in_job() -> bool:
    """Whether this process is a rank that the service started."""
    return "LOCKSTEP_RANK_OF_JOB" in os.environ


def train(*, workers: int | tuple[int, int], **wishes: object) -> Callable:
    """`workers` as a number or as (least, most). `wishes` are flags of `lockstep submit`: gpus=1, time_limit=3600,
    env=["WANDB_API_KEY"]."""

    def decorate(function: Callable) -> Callable:
        if is_in_job():
            return function

        @functools.wraps(function)
        def submit() -> None:
            status = subprocess.run(_command(inspect.getfile(function), workers, wishes), check=False).returncode
            if status != 0:
                raise JobFailed(status)

        return submit

    return decorate


def _command(script: str, workers: int | tuple[int, int], wishes: dict[str, object]) -> list[str]:
    count = f"{workers[0]}:{workers[1]}" if isinstance(workers, tuple) else str(workers)
    command = [os.environ.get("LOCKSTEP_PROGRAM", "lockstep"), "submit", script, "--workers", count, "--follow"]
    for name, wish in wishes.items():
        for value in wish if isinstance(wish, (list, tuple)) else [wish]:
            command += [f"--{name.replace('_', '-')}", str(value)]
    return [*command, "--", *sys.argv[1:]]
