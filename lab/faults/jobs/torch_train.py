"""PyTorch jobs that break while they train; LAB_FAULT names the function below that breaks this one."""

from __future__ import annotations

import ctypes
import datetime
import os
import signal
import time
from collections.abc import Callable

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import distributed_c10d
from torch.nn.parallel import DistributedDataParallel

import report

PATIENCE = datetime.timedelta(seconds=6)
TIME_TO_START = datetime.timedelta(seconds=120)  # a busy machine imports for long, and not all ranks alike
FAULTY_STEP = 3


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)
        self.auxiliary = nn.Linear(8, 1)

    def forward(self, inputs: torch.Tensor, *, with_auxiliary: bool = True) -> torch.Tensor:
        hidden = torch.relu(self.features(inputs))
        return self.head(hidden) + (self.auxiliary(hidden) if with_auxiliary else 0)


def train(step_of: Callable[..., torch.Tensor], *, rate: float = 0.01, steps: int = 8,
          make_model: Callable[[], nn.Module] = Net) -> nn.Module:
    """Eight steps of a data-parallel model; step_of makes the loss of one, and the fault."""
    if not dist.is_initialized():
        dist.init_process_group("gloo", timeout=TIME_TO_START)
    rank = dist.get_rank()
    torch.manual_seed(1)
    model = DistributedDataParallel(make_model())
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    report.ready(rank, dist.get_world_size())
    for step in range(steps):
        optimizer.zero_grad()
        loss = step_of(model, torch.randn(16, 4), step)
        if loss.requires_grad:
            loss.backward()
        optimizer.step()
        report.step(rank, step, loss.item())
    return model


def loss_of(model: nn.Module, inputs: torch.Tensor) -> torch.Tensor:
    return (model(inputs) - inputs.sum(dim=1, keepdim=True)).square().mean()


def healthy_step(model: nn.Module, inputs: torch.Tensor, step: int) -> torch.Tensor:
    return loss_of(model, inputs)


def at_fault(step: int, rank: int | None = None) -> bool:
    return step == FAULTY_STEP and rank in (None, dist.get_rank())


def unused_parameters() -> None:
    train(lambda model, inputs, step: model(inputs, with_auxiliary=False).square().mean())


def collectives_differ() -> None:
    def step_of(model, inputs, step):
        loss = loss_of(model, inputs)
        if at_fault(step, rank=1):
            dist.broadcast(loss.detach(), src=0)
        else:
            dist.all_reduce(loss.detach())
        return loss
    train(step_of)


def peer_killed() -> None:
    def step_of(model, inputs, step):
        time.sleep(0.1)
        return loss_of(model, inputs)
    train(step_of, steps=100)


def memory() -> None:
    def step_of(model, inputs, step):
        rows = 1 << 44 if at_fault(step) else 16
        return loss_of(model, torch.ones(rows, 4))
    train(step_of)


def device_ids_on_cpu() -> None:
    dist.init_process_group("gloo", timeout=TIME_TO_START)
    model = DistributedDataParallel(Net(), device_ids=[dist.get_rank()])
    model(torch.ones(2, 4))


def two_devices() -> None:
    train(lambda model, inputs, step: loss_of(model, inputs.to("meta") if at_fault(step) else inputs))


def backward_twice() -> None:
    def step_of(model, inputs, step):
        loss = loss_of(model, inputs)
        if at_fault(step):
            loss.backward()
        return loss
    train(step_of)


def changed_in_place() -> None:
    def step_of(model, inputs, step):
        hidden = torch.sigmoid(model(inputs))
        loss = hidden.square().sum()
        if at_fault(step):
            hidden += 1
        return loss
    train(step_of)


def features_differ() -> None:
    train(lambda model, inputs, step: loss_of(model, torch.ones(16, 5) if at_fault(step) else inputs))


def class_out_of_range() -> None:
    def step_of(model, inputs, step):
        labels = torch.full((16,), 7 if at_fault(step) else 0)
        return nn.functional.cross_entropy(model(inputs), labels)
    train(step_of)


def checkpoint_pickle() -> None:
    model = train(healthy_step)
    model.on_save = lambda: None
    torch.save(model, os.path.join(os.environ["TMPDIR"], "checkpoint.pt"))


def checkpoint_disk_full() -> None:
    model = train(healthy_step)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "/dev/full")
    dist.barrier()


def segfault() -> None:
    def step_of(model, inputs, step):
        if at_fault(step, rank=1):
            ctypes.memset(8, 0, 8)  # what an extension built for another version does
        return loss_of(model, inputs)
    train(step_of)


segfault_silent = segfault


def attribute_of_wrapper() -> None:
    model = train(healthy_step)
    print(model.features.weight.norm())


def file_on_one_node() -> None:
    def step_of(model, inputs, step):
        if at_fault(step, rank=1):
            open("/shared/run7/vocabulary.json")
        return loss_of(model, inputs)
    train(step_of)


def gloo_lacks_operation() -> None:
    def step_of(model, inputs, step):
        if at_fault(step):
            dist.all_reduce_coalesced([inputs.to_sparse()])
        return loss_of(model, inputs)
    train(step_of)


def method_not_implemented() -> None:
    class Head(nn.Module):
        pass

    def step_of(model, inputs, step):
        return Head()(inputs).mean() if at_fault(step) else loss_of(model, inputs)
    train(step_of)


def key_missing() -> None:
    def step_of(model, inputs, step):
        batch = {"inputs": inputs} | ({} if at_fault(step) else {"targets": inputs.sum(dim=1, keepdim=True)})
        return (model(batch["inputs"]) - batch["targets"]).square().mean()
    train(step_of)


def rank_waits_for_data() -> None:
    dist.init_process_group("gloo", timeout=TIME_TO_START)
    distributed_c10d._set_pg_timeout(PATIENCE)

    def step_of(model, inputs, step):
        if at_fault(step, rank=1):
            time.sleep(60)
        return loss_of(model, inputs)
    train(step_of)


def rank_leaves_loop() -> None:
    """Rank 1 has fewer batches, and is alone in the last barrier; nobody's timeout is near."""
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=600))
    train(healthy_step, steps=8 - 3 * dist.get_rank())
    dist.barrier()


def every_rank_alone() -> None:
    train(healthy_step)


def slows_down() -> None:
    """The history of all steps is sorted in each of them."""
    dist.init_process_group("gloo", timeout=TIME_TO_START)
    report.ready(dist.get_rank(), dist.get_world_size())
    history = torch.zeros(0)
    for step in range(1600):
        begun = time.perf_counter()
        loss = torch.rand(32)
        dist.all_reduce(loss)
        history = torch.cat([history, loss]).sort().values
        rate = 1 / (time.perf_counter() - begun)
        report.say(f"epoch 0 step {step:5d}/1600 | loss {loss.mean().item():.6f} | lr 1.000000e-03 | "
                   f"samples {len(history):9d} | {rate:10.2f} it/s")


def loss_nan() -> None:
    train(healthy_step, rate=1e6, steps=24)


def anomaly_nan() -> None:
    with torch.autograd.set_detect_anomaly(True):
        train(lambda model, inputs, step: torch.sqrt(model(inputs).square() * int(not at_fault(step))).sum())


def diverges() -> None:
    train(healthy_step, rate=1.4, steps=24, make_model=lambda: nn.Linear(4, 1))


def signal_launcher(number: int) -> None:
    def step_of(model, inputs, step):
        if at_fault(step, rank=0):
            os.kill(os.getppid(), number)
        if step > FAULTY_STEP:
            time.sleep(20)
        return loss_of(model, inputs)
    train(step_of)


def hangup() -> None:
    """The terminal of the launcher closes."""
    signal_launcher(signal.SIGHUP)


def told_to_end() -> None:
    """As a scheduler does whose time limit is over."""
    signal_launcher(signal.SIGTERM)


if __name__ == "__main__":
    torch.set_num_threads(1)
    globals()[os.environ["LAB_FAULT"]]()
