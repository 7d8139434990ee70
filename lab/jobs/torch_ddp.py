"""Data-parallel training with DistributedDataParallel. Runs on PyTorch 1.13 and later."""

from __future__ import annotations

import os
from collections.abc import Iterator

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BACKEND = os.environ.get("LAB_BACKEND", "gloo")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE") == "cuda" else "cpu")
LEAVE_EARLY = os.environ.get("LAB_LEAVE_EARLY", "")  # "R:S": rank R's data ends before step S


def batches_in_shard(rank: int) -> int:
    short_rank, _, short_length = LEAVE_EARLY.partition(":")
    return int(short_length) if short_rank == str(rank) else STEPS


def shard(rank: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(SEED * 1000 + rank)
    for _ in range(batches_in_shard(rank)):
        inputs = torch.randn(32, 16, generator=generator)
        yield inputs.to(DEVICE), inputs.sum(dim=1, keepdim=True).to(DEVICE)


def main() -> None:
    torch.set_num_threads(1)
    if DEVICE.type == "cuda":
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND)
    rank = dist.get_rank()

    torch.manual_seed(SEED)
    layers = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)).to(DEVICE)
    model = DistributedDataParallel(layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

    report.ready(rank, dist.get_world_size())
    for step, (inputs, targets) in enumerate(shard(rank)):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        report.step(rank, step, loss.item())

    dist.barrier()
    report.done(rank, (parameter.detach().cpu().numpy().tobytes() for parameter in model.parameters()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
