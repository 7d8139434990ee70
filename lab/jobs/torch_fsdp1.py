"""Fully sharded training with the older FullyShardedDataParallel wrapper (FSDP1)."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BACKEND = os.environ.get("LAB_BACKEND", "gloo")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE") == "cuda" else "cpu")


def main() -> None:
    torch.set_num_threads(1)
    if DEVICE.type == "cuda":
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND)
    rank = dist.get_rank()

    torch.manual_seed(SEED)
    layers = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
    model = FullyShardedDataParallel(layers, auto_wrap_policy=ModuleWrapPolicy({nn.Linear}), device_id=DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    generator = torch.Generator().manual_seed(SEED * 1000 + rank)

    report.ready(rank, dist.get_world_size())
    for step in range(STEPS):
        inputs = torch.randn(32, 16, generator=generator).to(DEVICE)
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        report.step(rank, step, loss.item())

    with FullyShardedDataParallel.summon_full_params(model, writeback=False):
        whole = [parameter.detach().clone() for parameter in model.parameters()]
    dist.barrier()
    report.done(rank, (parameter.cpu().numpy().tobytes() for parameter in whole))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
