"""One step of Horovod; `ordinary`: layers that do not fit, on every rank; `distributed`: another shape on rank 1."""

import sys

import horovod.torch as hvd
import torch
from torch import nn

fault = sys.argv[1]
torch.set_num_threads(1)
hvd.init()
print(f"rank {hvd.rank()} of {hvd.size()}", flush=True)
model = nn.Sequential(nn.Linear(16, 32), nn.Linear(8 if fault == "ordinary" else 32, 1))
loss = model(torch.randn(4, 16))
width = 5 if fault == "distributed" and hvd.rank() == 1 else 4
hvd.allreduce(loss[:1].expand(width, 1).contiguous(), name="loss")
hvd.shutdown()
