"""The lab's DDP job, whose weights are no numbers from a step on."""

import os
import pathlib
import runpy
import sys

import torch

JOB = pathlib.Path(__file__).resolve().parent.parent.parent / "jobs/torch_ddp.py"
POISONED = int(os.environ.get("POISON_AT", "13"))

step_of_sgd = torch.optim.SGD.step


def step(optimizer, *rest, **named):
    optimizer.steps = getattr(optimizer, "steps", 0) + 1
    if optimizer.steps == POISONED:
        optimizer.param_groups[0]["params"][0].data.fill_(float("nan"))
    return step_of_sgd(optimizer, *rest, **named)


torch.optim.SGD.step = step
sys.path.insert(0, str(JOB.parent))
runpy.run_path(str(JOB), run_name="__main__")
