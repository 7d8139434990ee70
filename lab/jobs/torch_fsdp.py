"""Fully sharded training with fully_shard (FSDP2)."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BACKEND = os.environ.get("LAB_BACKEND", "gloo")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE") == "cuda" else "cpu")


def make_model(world: int) -> nn.Module:
    torch.manual_seed(SEED)
    model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)).to(DEVICE)
    mesh = init_device_mesh(DEVICE.type, (world,))
    for layer in model:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def main() -> None:
    torch.set_num_threads(1)
    if DEVICE.type == "cuda":
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND)
    rank, world = dist.get_rank(), dist.get_world_size()

    model = make_model(world)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    generator = torch.Generator().manual_seed(SEED * 1000 + rank)

    report.ready(rank, world)
    for step in range(STEPS):
        inputs = torch.randn(32, 16, generator=generator).to(DEVICE)
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        report.step(rank, step, loss.item())

    whole = [parameter.full_tensor() for parameter in model.parameters()]
    dist.barrier()
    report.done(rank, (parameter.detach().cpu().numpy().tobytes() for parameter in whole))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
