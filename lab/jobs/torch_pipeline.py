"""Pipeline parallelism by hand: one stage per rank, activations sent forward, gradients sent back."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch import nn

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BACKEND = os.environ.get("LAB_BACKEND", "gloo")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE") == "cuda" else "cpu")
MICROBATCHES = 2
ROWS = 16
WIDTH = 24


def receive_from(rank: int) -> torch.Tensor:
    received = torch.empty(ROWS, WIDTH, device=DEVICE)
    dist.recv(received, rank)
    return received


class Stage:
    def __init__(self, rank: int, world: int) -> None:
        self.rank = rank
        self.is_first = rank == 0
        self.is_last = rank == world - 1
        self.layers = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh()).to(DEVICE)

    def forward(self, batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inputs = batch if self.is_first else receive_from(self.rank - 1).requires_grad_()
        outputs = self.layers(inputs)
        if self.is_last:
            return inputs, nn.functional.mse_loss(outputs, torch.tanh(batch)) / MICROBATCHES
        dist.send(outputs.detach(), self.rank + 1)
        return inputs, outputs

    def backward(self, inputs: torch.Tensor, outputs: torch.Tensor) -> None:
        outputs.backward(None if self.is_last else receive_from(self.rank + 1))
        if not self.is_first:
            dist.send(inputs.grad, self.rank - 1)


def main() -> None:
    torch.set_num_threads(1)
    if DEVICE.type == "cuda":
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND)
    rank, world = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(SEED + rank)
    stage = Stage(rank, world)
    optimizer = torch.optim.SGD(stage.layers.parameters(), lr=0.5)
    generator = torch.Generator().manual_seed(SEED * 1000)

    report.ready(rank, world)
    for step in range(STEPS):
        batches = torch.randn(MICROBATCHES, ROWS, WIDTH, generator=generator).to(DEVICE)
        optimizer.zero_grad()
        passed = [stage.forward(batch) for batch in batches]
        for inputs, outputs in passed:
            stage.backward(inputs, outputs)
        optimizer.step()
        loss = sum(outputs.detach() for _, outputs in passed) if stage.is_last else torch.zeros((), device=DEVICE)
        dist.broadcast(loss, src=world - 1)
        report.step(rank, step, loss.item())

    dist.barrier()
    report.done(rank, (parameter.detach().cpu().numpy().tobytes() for parameter in stage.layers.parameters()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
