"""Data-parallel training on four ranks, as people write it. One of rank 3's samples is very long, and attention needs memory that
grows with the square of the length."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS, LONGEST = 30, 330_000


def length_of(rank: int, step: int) -> int:
    return LONGEST if (rank, step) == (3, 18) else 64


def attend(tokens: torch.Tensor) -> torch.Tensor:
    return torch.softmax(tokens @ tokens.T, dim=1) @ tokens


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = DistributedDataParallel(nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.Generator().manual_seed(rank)
    for step in range(1, STEPS + 1):
        tokens = torch.randn(length_of(rank, step), 32, generator=data)
        loss = model(attend(tokens)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"rank {rank} step {step} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
