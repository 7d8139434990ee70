"""Tensor parallelism: a feed-forward block whose weights are DTensors split over the ranks."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BACKEND = os.environ.get("LAB_BACKEND", "gloo")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE") == "cuda" else "cpu")


class FeedForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(16, 64)
        self.down = nn.Linear(64, 16)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.down(torch.tanh(self.up(inputs)))


def main() -> None:
    torch.set_num_threads(1)
    if DEVICE.type == "cuda":
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND)
    rank, world = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(SEED)
    plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
    model = parallelize_module(FeedForward().to(DEVICE), init_device_mesh(DEVICE.type, (world,)), plan)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, foreach=False)

    report.ready(rank, world)
    for step in range(STEPS):
        inputs = torch.randn(32, 16).to(DEVICE)  # the same on every rank: tensor parallelism splits weights, not data
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), inputs.flip(1))
        loss.backward()
        optimizer.step()
        report.step(rank, step, loss.item())

    whole = [parameter.full_tensor() for parameter in model.parameters()]
    dist.barrier()
    report.done(rank, (parameter.detach().cpu().numpy().tobytes() for parameter in whole))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
