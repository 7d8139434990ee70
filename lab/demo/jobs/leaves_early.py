"""Data-parallel training on four ranks, as people write it. Rank 2's part of the data is one batch shorter than the others'."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

SAMPLES = 2540  # 4 parts of 640 samples would be 2560: the last whole part comes short


def batches_of(rank: int, ranks: int) -> list[range]:
    part = [640, 640, 620, 640][rank] if ranks == 4 else SAMPLES // ranks
    return [range(start, start + 16) for start in range(0, part - 15, 16)]


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.Generator().manual_seed(rank)
    for step, batch in enumerate(batches_of(rank, ranks), 1):
        inputs = torch.randn(len(batch), 64, generator=data)
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"rank {rank} step {step} loss {loss.item():.4f}", flush=True)
    dist.barrier()
    print(f"rank {rank}: done", flush=True)


if __name__ == "__main__":
    main()
