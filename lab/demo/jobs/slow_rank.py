"""Data-parallel training on four ranks, as people write it. Rank 1 augments its samples on one core, the others do not."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = 120


def augment(inputs: torch.Tensor) -> torch.Tensor:
    for _ in range(60):
        inputs = torch.fft.irfft(torch.fft.rfft(inputs), n=inputs.shape[-1])
    return inputs


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = DistributedDataParallel(nn.Linear(4096, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    data = torch.Generator().manual_seed(rank)
    for step in range(1, STEPS + 1):
        inputs = torch.randn(64, 4096, generator=data)
        if rank == 1:
            inputs = augment(inputs)
        loss = nn.functional.mse_loss(model(inputs), inputs.mean(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 0:
            print(f"rank {rank} step {step} loss {loss.item():.4f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
