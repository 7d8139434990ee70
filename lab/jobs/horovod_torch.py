"""Data-parallel training of a PyTorch model with Horovod."""

from __future__ import annotations

import os

import horovod.torch as hvd
import torch
from torch import nn

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))


def main() -> None:
    torch.set_num_threads(1)
    hvd.init()

    torch.manual_seed(SEED + hvd.rank())
    model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(optimizer, root_rank=0)
    generator = torch.Generator().manual_seed(SEED * 1000 + hvd.rank())

    report.ready(hvd.rank(), hvd.size())
    for step in range(STEPS):
        inputs = torch.randn(32, 16, generator=generator)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        loss.backward()
        optimizer.step()
        report.step(hvd.rank(), step, loss.item())

    report.done(hvd.rank(), (parameter.detach().numpy().tobytes() for parameter in model.parameters()))
    hvd.shutdown()


if __name__ == "__main__":
    main()
