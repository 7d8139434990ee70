"""A PyTorch job whose ranks meet at a file, as many scripts on shared disks do."""

import datetime
import os
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo", init_method=sys.argv[1], rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]),
                        timeout=datetime.timedelta(seconds=60))
tensor = torch.ones(1)
dist.all_reduce(tensor)
print(f"sum {tensor.item():.0f}", flush=True)
dist.destroy_process_group()
