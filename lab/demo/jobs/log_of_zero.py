"""Data-parallel training whose loss is not a number from some step on, on every rank. CLAMP=1 mends it."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1)
model = DistributedDataParallel(nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
data = torch.Generator().manual_seed(1 + rank)
for step in range(1, 41):
    inputs = torch.rand(16, 8, generator=data)
    above = inputs[:, 0] - 0.001  # not above zero where the first feature is smaller
    targets = torch.log(above.clamp(min=1e-6) if "CLAMP" in os.environ else above)
    loss = nn.functional.mse_loss(model(inputs).squeeze(1), targets)
    if loss.isnan() and not any(parameter.isnan().any() for parameter in model.parameters()):
        print(f"rank {rank}: this rank's own loss is nan first, in step {step}; its smallest input is {inputs[:, 0].min().item():.4f}")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"rank {rank}: loss {loss.item()}", flush=True)
dist.destroy_process_group()
