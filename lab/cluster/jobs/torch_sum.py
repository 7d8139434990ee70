"""The shortest job that needs every pair of ranks: one all-reduce over Gloo. With LAB_BATCH_BYTES a worker of a data loader
hands each rank a batch of that size first, through shared memory."""

import datetime
import os

import torch
import torch.distributed as dist

PATIENCE = datetime.timedelta(seconds=int(os.environ.get("LAB_PATIENCE_S", "10")))

if batch := int(os.environ.get("LAB_BATCH_BYTES", "0")):
    loader = torch.utils.data.DataLoader([torch.ones(batch // 4)], num_workers=1)
    assert sum(one.numel() for one in loader) == batch // 4

dist.init_process_group("gloo", timeout=PATIENCE)
total = torch.full([100_000], float(dist.get_rank() + 1))
dist.all_reduce(total)
assert total[0].item() == sum(range(1, dist.get_world_size() + 1))
dist.barrier()
print(f"lab rank={dist.get_rank()} done", flush=True)
dist.destroy_process_group()
