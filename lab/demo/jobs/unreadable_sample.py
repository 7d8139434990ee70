"""Data-parallel training on four ranks, as people write it. One sample in rank 2's part of the data cannot be read."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = 10
BROKEN = 91  # its number in the data


def read_sample(number: int) -> torch.Tensor:
    if number == BROKEN:
        raise ValueError(f"cannot read sample {number}: the file ends after 112 of 256 bytes")
    return torch.randn(16, generator=torch.Generator().manual_seed(number))


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    model = DistributedDataParallel(nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(STEPS):
        numbers = range((step * ranks + rank) * 4, (step * ranks + rank + 1) * 4)
        inputs = torch.stack([read_sample(number) for number in numbers])
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"rank {rank} step {step} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
