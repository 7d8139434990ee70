"""Training steps with three groups; LAB_FAULT makes one rank do one thing differently in one step.

Without a fault it is a healthy job: a bucket over the whole job, a loss and a norm over two further groups of all
ranks, each read by the host before the next.
"""

from __future__ import annotations

import datetime
import os
import time

import torch
import torch.distributed as dist

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BACKEND = os.environ.get("LAB_BACKEND", "gloo")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE") == "cuda" else "cpu")
TIMEOUT = datetime.timedelta(seconds=int(os.environ.get("LAB_TIMEOUT_S", "1800")))
FAULT, _, _where = os.environ.get("LAB_FAULT", "").partition(":")  # "shape:2@4": rank 2 in step 4
FAULTY_RANK, FAULTY_STEP = (int(number) for number in (_where or "-1@-1").split("@"))
WIDTH = 1 << 16


def data_never_comes() -> None:
    while True:
        time.sleep(1)


def reduce_bucket(bucket: torch.Tensor) -> torch.Tensor:
    dist.all_reduce(bucket)
    return bucket / dist.get_world_size()


def reduce_loss(loss: torch.Tensor, group: dist.ProcessGroup) -> float:
    value = loss.clone()
    dist.all_reduce(value, group=group)
    return value.item()


def reduce_norm(bucket: torch.Tensor, group: dist.ProcessGroup) -> float:
    value = bucket.norm().reshape(1)
    dist.all_reduce(value, op=dist.ReduceOp.MAX, group=group)
    return value.item()


def train_step(weights: torch.Tensor, gradient: torch.Tensor, groups: list[dist.ProcessGroup], fault: str) -> float:
    if fault == "missing":
        data_never_comes()
    if fault == "shape":
        gradient = gradient.repeat(2)
    if fault == "dtype":
        gradient = gradient.double()
    if fault != "skip":
        gradient = reduce_bucket(gradient)
    loss = weights.square().mean()
    if fault == "order":
        reduce_norm(weights, groups[1])
        total = reduce_loss(loss, groups[0])
    else:
        total = reduce_loss(loss, groups[0])
        reduce_norm(weights, groups[1])
    weights -= 0.1 * (weights + 0.01 * gradient[0])
    return total


def main() -> None:
    torch.set_num_threads(1)
    if DEVICE.type == "cuda":
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND, timeout=TIMEOUT)
    rank, world = dist.get_rank(), dist.get_world_size()
    groups = [dist.new_group(timeout=TIMEOUT, group_desc=name) for name in ("loss", "norm")]

    generator = torch.Generator().manual_seed(SEED * 1000 + rank)
    weights = torch.randn(WIDTH, generator=torch.Generator().manual_seed(SEED)).to(DEVICE)
    report.ready(rank, world)
    for step in range(STEPS):
        fault = FAULT if (rank, step) == (FAULTY_RANK, FAULTY_STEP) else ""
        if fault:
            report.fault(rank, fault)
        if fault == "leave":
            break
        gradient = torch.randn(WIDTH, generator=generator).to(DEVICE)
        report.step(rank, step, train_step(weights, gradient, groups, fault))

    leaves_early = FAULT == "leave"  # without a word to the others, as scripts do that end behind their loop
    if not leaves_early:
        dist.barrier()
    report.done(rank, [weights.cpu().numpy().tobytes()])
    if not leaves_early:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
