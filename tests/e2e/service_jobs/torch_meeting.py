"""A PyTorch job whose ranks meet where they are told, at a file as many scripts on shared disks do; one may stop on the way."""

import datetime
import os
import signal
import sys

import torch
import torch.distributed as dist

print("meets", flush=True)
dist.init_process_group("gloo", init_method=sys.argv[1], rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]),
                        timeout=datetime.timedelta(seconds=int(os.environ.get("MEETING_S", "60"))))
tensor = torch.ones(1)
dist.all_reduce(tensor)
if "one_stops" in sys.argv and os.environ["RANK"] == "1" and os.environ["LOCKSTEP_ATTEMPT"] == "1":
    os.kill(os.getpid(), signal.SIGSTOP)
dist.all_reduce(tensor)
print(f"sum {tensor.item():.0f}", flush=True)
dist.destroy_process_group()
