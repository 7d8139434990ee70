"""What `lockstep diagnose` says of the recording of a job that has not ended."""

import json
import time

from recordings import diagnose

LIMIT_S, PAUSE_S = 300, 0.3


def in_short(verdict):
    return sorted((found["leaf"], found["code"], *found["root_ranks"]) for found in verdict["findings"])


def wait_for_verdict(run, recording, expected):
    """Ranks need different times to come to where they hang; the verdict must be this one then, or when the job has ended."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        is_last = run.ended or time.monotonic() >= deadline
        verdict = diagnose(recording)
        if in_short(verdict) == expected or is_last:
            assert in_short(verdict) == expected, json.dumps(verdict, indent=1)
            return verdict
        run.let_pass(PAUSE_S)
