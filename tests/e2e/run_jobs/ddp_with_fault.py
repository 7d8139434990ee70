"""A small DDP job in which rank 2 does something else in step 30: `ddp_with_fault.py FAULT [STEPS]`. It prints when."""

import atexit
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

# PyTorch aborts where a thread of Gloo lets go of its last call only when Python has begun to end.
atexit.register(time.sleep, 0.3)

FAULT, FAULTY_RANK, FAULTY_STEP = sys.argv[1], 2, 30
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 60


def say(line):
    sys.stdout.write(f"{line}\n")  # at once: lines of several ranks must not mix
    sys.stdout.flush()


def strike(rank):
    if rank == FAULTY_RANK:
        say(f"fault {time.time()}")
    if FAULT == "shape":
        dist.all_reduce(torch.ones(7 if rank == FAULTY_RANK else 8))
    elif FAULT == "operation":
        dist.barrier() if rank == FAULTY_RANK else dist.all_reduce(torch.ones(8))
    if rank != FAULTY_RANK:
        return True
    if FAULT == "hang":
        time.sleep(1000)
    elif FAULT == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif FAULT == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif FAULT == "fail":
        raise ValueError("sample 17 has no label")
    elif FAULT == "pause":
        time.sleep(26)
    return FAULT != "early"


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(64, 64))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    torch.manual_seed(rank)
    for step in range(STEPS):
        if step == FAULTY_STEP and not strike(rank):
            break
        optimizer.zero_grad()
        loss = model(torch.randn(8, 64)).pow(2).mean()
        if FAULT == "nan" and rank == FAULTY_RANK and step == FAULTY_STEP:
            loss = loss * float("nan")
        loss.backward()
        optimizer.step()
        time.sleep(0.01)
    if FAULT != "early":
        dist.barrier()
    say(f"rank {rank} loss {loss.item()!r}")


main()
