"""Horovod jobs that break while they train; LAB_FAULT names the function below that breaks this one."""

from __future__ import annotations

import ctypes
import os
import pathlib
import signal
import time
from collections.abc import Callable

import horovod.torch as hvd
import torch
from torch import nn

import report

FAULTY_STEP = 3


def small_model() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def train(step_of: Callable[..., torch.Tensor], *, rate: float = 0.01, steps: int = 8,
          make_model: Callable[[], nn.Module] = small_model) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Eight steps of a data-parallel model; step_of makes the loss of one, and the fault."""
    hvd.init()
    torch.manual_seed(1)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    report.ready(hvd.rank(), hvd.size())
    for step in range(steps):
        optimizer.zero_grad()
        loss = step_of(model, torch.randn(16, 4), step)
        loss.backward()
        optimizer.step()
        report.step(hvd.rank(), step, loss.item())
    return model, optimizer


def loss_of(model: nn.Module, inputs: torch.Tensor) -> torch.Tensor:
    return (model(inputs) - inputs.sum(dim=1, keepdim=True)).square().mean()


def healthy_step(model: nn.Module, inputs: torch.Tensor, step: int) -> torch.Tensor:
    return loss_of(model, inputs)


def at_fault(step: int, rank: int | None = None) -> bool:
    return step == FAULTY_STEP and rank in (None, hvd.rank())


def launcher() -> int:
    """The topmost horovodrun: between it and this process stand a copy of it and a shell."""
    pid, found = os.getppid(), 0
    while pid > 1:
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if any(word.endswith(b"/horovodrun") for word in command[:2]):
            found = pid
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def told_to_end() -> None:
    """As a scheduler does whose time limit is over."""
    def step_of(model, inputs, step):
        if at_fault(step, rank=0):
            os.kill(launcher(), signal.SIGTERM)
        if step > FAULTY_STEP:
            time.sleep(20)
        return loss_of(model, inputs)
    train(step_of)


def same_name_twice() -> None:
    def step_of(model, inputs, step):
        if at_fault(step):
            handles = [hvd.allreduce_async(torch.ones(1 << 16), name="metrics") for _ in range(4)]
            [hvd.synchronize(handle) for handle in handles]
        return loss_of(model, inputs)
    train(step_of)


def peer_killed() -> None:
    def step_of(model, inputs, step):
        time.sleep(0.1)
        return loss_of(model, inputs)
    train(step_of, steps=100)


def memory() -> None:
    train(lambda model, inputs, step: loss_of(model, torch.ones(1 << 44 if at_fault(step) else 16, 4)))


def two_devices() -> None:
    train(lambda model, inputs, step: loss_of(model, inputs.to("meta") if at_fault(step) else inputs))


def backward_twice() -> None:
    def step_of(model, inputs, step):
        if at_fault(step):
            loss_of(model, inputs).backward()
        return loss_of(model, inputs)
    train(step_of)


def reduced_shapes_differ() -> None:
    def step_of(model, inputs, step):
        hvd.allreduce(torch.ones(7 if at_fault(step, rank=1) else 16), name=f"sums.{step}")
        return loss_of(model, inputs)
    train(step_of)


def features_differ() -> None:
    train(lambda model, inputs, step: loss_of(model, torch.ones(16, 5) if at_fault(step) else inputs))


def checkpoint_pickle() -> None:
    model, optimizer = train(healthy_step)
    torch.save({"model": model, "schedule": lambda epoch: 0.1}, os.path.join(os.environ["TMPDIR"], "checkpoint.pt"))


def checkpoint_disk_full() -> None:
    model, _ = train(healthy_step)
    if hvd.rank() == 0:
        with open("/dev/full", "wb") as file:
            torch.save(model.state_dict(), file)
    hvd.allreduce(torch.ones(1), name="saved")


def segfault() -> None:
    def step_of(model, inputs, step):
        if at_fault(step, rank=1):
            ctypes.memset(8, 0, 8)  # what an extension built for another version does
        return loss_of(model, inputs)
    train(step_of)


def attribute_of_other_framework() -> None:
    train(lambda model, inputs, step: hvd.DistributedGradientTape(loss_of(model, inputs)))


def file_on_one_node() -> None:
    def step_of(model, inputs, step):
        if at_fault(step, rank=1):
            open("/shared/run7/vocabulary.json")
        return loss_of(model, inputs)
    train(step_of)


def adasum_of_three() -> None:
    def step_of(model, inputs, step):
        if at_fault(step):
            hvd.allreduce(inputs, op=hvd.Adasum)
        return loss_of(model, inputs)
    train(step_of)


def key_missing() -> None:
    def step_of(model, inputs, step):
        batch = {"inputs": inputs} | ({} if at_fault(step) else {"targets": inputs.sum(dim=1, keepdim=True)})
        return (model(batch["inputs"]) - batch["targets"]).square().mean()
    train(step_of)


def rank_waits_for_data() -> None:
    def step_of(model, inputs, step):
        if at_fault(step, rank=1):
            time.sleep(60)
        return loss_of(model, inputs)
    train(step_of)


rank_waits_silently = rank_waits_for_data


def every_rank_alone() -> None:
    train(healthy_step)


def slows_down() -> None:
    """The history of all steps is sorted in each of them."""
    hvd.init()
    report.ready(hvd.rank(), hvd.size())
    history = torch.zeros(0)
    for step in range(1600):
        begun = time.perf_counter()
        loss = hvd.allreduce(torch.rand(32), name="loss")
        history = torch.cat([history, loss]).sort().values
        rate = 1 / (time.perf_counter() - begun)
        report.say(f"epoch 0 step {step:5d}/1600 | loss {loss.mean().item():.6f} | lr 1.000000e-03 | "
                   f"samples {len(history):9d} | {rate:10.2f} it/s")


def loss_nan() -> None:
    train(healthy_step, rate=1e6, steps=24)


def diverges() -> None:
    train(healthy_step, rate=1.4, steps=24, make_model=lambda: nn.Linear(4, 1))


if __name__ == "__main__":
    torch.set_num_threads(1)
    globals()[os.environ["LAB_FAULT"]]()
