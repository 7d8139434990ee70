"""A small DDP job for replays. Variables change what happens:

NUDGE=STEP:ulp or STEP:1e-7   one weight is changed by that before the step; with :RANK behind it on that rank alone
LOUDER=STEP                   the loss of the step is doubled, on its way to the gradients
NAN_RANK=R                    rank R's loss is not a number from step 2 on, and it says so
KILL_AT=STEP                  every rank kills itself before the step
POISON_AT=STEP                one weight is not a number from the step on
"""

import atexit
import math
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

# PyTorch aborts where a thread of Gloo lets go of its last call only when Python has begun to end.
atexit.register(time.sleep, 0.3)

STEPS = 4


def nudge(weight, step):
    at, amount, only = (os.environ.get("NUDGE", "").split(":") + ["", ""])[:3]
    if at != str(step) or only not in ("", str(dist.get_rank())):
        return
    with torch.no_grad():
        if amount == "ulp":
            weight[0, 0] = torch.nextafter(weight[0, 0], torch.tensor(math.inf))
        else:
            weight[0, 0] += float(amount)


def share_plan(rank):
    """Ranks that only receive bring room with anything in it."""
    plan = torch.arange(8, dtype=torch.uint8) if rank == 0 else torch.frombuffer(bytearray(os.urandom(8)), dtype=torch.uint8)
    dist.broadcast(plan, src=0)
    assert plan.tolist() == list(range(8))


def fail_together(rank):
    """A collective that all ranks are refused."""
    try:
        dist.all_reduce(torch.ones(3), op=dist.ReduceOp.BAND)
    except RuntimeError as error:
        sys.stdout.write(f"rank={rank} refused={str(error).splitlines()[0]}\n")


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    data = torch.Generator().manual_seed(100 + rank)
    share_plan(rank)
    fail_together(rank)
    for step in range(1, STEPS + 1):
        if os.environ.get("KILL_AT") == str(step):
            time.sleep(1)  # what was received so far gets to the disk
            os.kill(os.getpid(), signal.SIGKILL)
        inputs = torch.randn(16, 8, generator=data)
        nudge(model.module[0].weight, step)
        if os.environ.get("POISON_AT") == str(step):
            model.module[2].bias.data.fill_(math.nan)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(1, keepdim=True))
        if os.environ.get("NAN_RANK") == str(rank) and step >= 2:
            loss = loss * math.nan
        (loss * 2 if os.environ.get("LOUDER") == str(step) else loss).backward()
        optimizer.step()
        sys.stdout.write(f"rank={rank} step={step} loss={loss.item().hex()}\n")
        sys.stdout.flush()
        if math.isnan(loss.item()) and "POISON_AT" not in os.environ:
            raise FloatingPointError(f"loss of rank {rank} in step {step}")
    gathered = [None] * dist.get_world_size()
    dist.all_gather_object(gathered, {"rank": rank, "loss": loss.item()})
    sys.stdout.write(f"rank={rank} gathered={gathered}\n")
    sys.stdout.write(f"rank={rank} weights={[p.detach().double().sum().item().hex() for p in model.parameters()]}\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
