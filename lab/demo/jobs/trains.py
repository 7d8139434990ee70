"""Healthy data-parallel training of a small model, as people write it."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
model = DistributedDataParallel(nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.Generator().manual_seed(rank)
for step in range(1, 11):
    inputs = torch.randn(32, 16, generator=data)
    loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"rank {rank}: loss {loss.item():.4f} after {step} steps", flush=True)
dist.destroy_process_group()
