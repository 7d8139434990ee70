"""One step of DDP; `ordinary`: layers that do not fit, on every rank; `distributed`: another bucket on rank 1."""

import sys

import torch
import torch.distributed as dist
from torch import nn

fault = sys.argv[1]
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
print(f"rank {rank} of {world}", flush=True)
width = 8 if fault == "ordinary" else 32
model = nn.Sequential(nn.Linear(16, 32), nn.Linear(width, 1))
if fault == "distributed" and rank == 1:
    model.append(nn.Linear(1, 1))
nn.parallel.DistributedDataParallel(model)(torch.randn(4, 16)).sum().backward()
dist.destroy_process_group()
