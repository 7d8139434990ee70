"""Where a replay stops: after a step, after the first step at whose end something holds, or for a while, to be frozen into an
image (lockstep replay --to-step, --bisect, --checkpoint-every).

What is wanted stands in a file of the replay's own recording and not in the environment: a process that was restored from
an image still has the environment of the one that was frozen, and is told something else."""

import contextlib
import functools
import json
import math
import os
import signal
import sys

from . import gpu_memory, parameter_file

ORDERS = "orders.json"  # in the folder of the replay's own recording
REPORT = "stopped"  # beside it
MODULES = (("torch", "torch"), ("numpy", "numpy"), ("tensorflow", "tf"), ("tf_keras", "keras"), ("keras", "keras"))


class Stops:
    def __init__(self):
        self._read_orders()

    def after_step(self, step, learned):
        if self._image_every and step % self._image_every == 0:
            self._pause_for_image(step)
            if self._patch:
                _run_file(self._patch, {"step": step, "copy": self._copy} | _modules() | learned())
        is_last = self._last and step >= self._last
        if self._predicate and (is_last or not self._only_asks) and self._holds(step, learned()):
            self._stop(f"holds {step}")
        if is_last:
            if self._saved:
                parameter_file.write(learned()["parameters"], self._saved)
            self._stop(f"reached {step}")

    def _read_orders(self):
        with open(_in_recording(ORDERS), encoding="utf-8") as file:
            orders = json.load(file)
        self._image_every = orders.get("image_every", 0)
        self._last = orders.get("to_step", 0)
        self._predicate = orders.get("predicate", "")
        self._only_asks = orders.get("only_asks", False)
        self._saved = orders.get("saves_parameters_to", "")
        self._break_at = orders.get("break_at", "")
        self._patch, self._copy = orders.get("patch", ""), orders.get("copy", 0)

    def _pause_for_image(self, step):
        """Whoever started the replay freezes the stopped process and lets it go on; so it does with what it restores."""
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        with _frozen_gpus(step) as report:
            _report(report)
            os.kill(os.getpid(), signal.SIGSTOP)
        os.unlink(_in_recording(REPORT))
        self._read_orders()
        os.environ["LOCKSTEP_REPLAY_BREAK"] = self._break_at

    def _holds(self, step, learned):
        try:
            return bool(eval(self._predicate, {"step": step, "math": math} | _modules() | learned))
        except Exception as error:
            self._stop(f"failed {step} {type(error).__name__}: {error}")

    def _stop(self, report):
        _report(report)
        if self._only_asks:
            os._exit(0)  # taking PyTorch apart takes longer than a step, and nothing else is asked of this process
        sys.exit(0)


@contextlib.contextmanager
def _frozen_gpus(step):
    """What to report of the image that may now be taken."""
    if not gpu_memory.is_used():
        yield f"image {step}"
        return
    try:
        gpu_memory.set_aside()
    except gpu_memory.Refused as why:
        yield f"no_image {step} {why}"
        return
    yield f"gpu_image {step}"
    gpu_memory.take_back()


@functools.cache
def _wanted():
    """None when the replay goes on to its end."""
    is_replay = bool(os.environ.get("LOCKSTEP_REPLAY"))
    return Stops() if is_replay and os.path.exists(_in_recording(ORDERS)) else None


def after_step(step, learned):
    """A step has ended. `learned`: a function that gives what a predicate may ask for: `parameters`, a dictionary by name, and
    whatever else the framework knows."""
    if (stops := _wanted()) is not None:
        stops.after_step(step, learned)


def _modules():
    """As scripts call them, where they were imported."""
    return {name: sys.modules[module] for module, name in MODULES if module in sys.modules}


def _run_file(path, names):
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)


def _in_recording(name):
    return os.path.join(os.environ["LOCKSTEP_RECORD"], name)


def _report(line):
    with open(_in_recording(REPORT), "w", encoding="utf-8") as file:
        file.write(line + "\n")
