"""Where a replay stops before its end: after a step, or after the first step at whose end something holds (lockstep replay
--to-step, --bisect)."""

import math
import os
import sys

REPORT = "stopped"  # in the folder of the replay's own recording


class Stops:
    def __init__(self):
        self._last = int(os.environ.get("LOCKSTEP_REPLAY_TO_STEP", "0"))
        self._predicate = os.environ.get("LOCKSTEP_REPLAY_PREDICATE", "")

    def after_step(self, step, parameters):
        """`parameters`: a function that gives what a predicate may ask for, by name."""
        if self._predicate and self._holds(step, parameters()):
            _stop(f"holds {step}")
        if self._last and step >= self._last:
            _stop(f"reached {step}")

    def _holds(self, step, parameters):
        try:
            return bool(eval(self._predicate, {"step": step, "parameters": parameters, "math": math} | _modules()))
        except Exception as error:
            _stop(f"failed {step} {type(error).__name__}: {error}")


def wanted():
    """None when the replay goes on to its end."""
    return Stops() if any(os.environ.get(f"LOCKSTEP_REPLAY_{name}") for name in ("TO_STEP", "PREDICATE")) else None


def _modules():
    return {name: sys.modules[name] for name in ("torch", "numpy") if name in sys.modules}


def _stop(report):
    with open(os.path.join(os.environ["LOCKSTEP_RECORD"], REPORT), "w", encoding="utf-8") as file:
        file.write(report + "\n")
    sys.exit(0)
