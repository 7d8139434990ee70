"""Four ranks that train; rank 2 leaves the loop early, and the others wait for it."""

import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    if "--hang" in sys.argv and dist.get_rank() == 2 and step == 6:
        dist.barrier()
        time.sleep(600)
    optimizer.zero_grad()
    model(torch.ones(4, 8) * step).mean().backward()
    optimizer.step()
print(f"rank {dist.get_rank()} is done", flush=True)
