"""A DDP job that saves its state and goes on from what it saved, as a user's script does.

CHECKPOINT=FILE   rank 0 saves there after every fourth step; each rank begins from it when it is there
CHECKPOINT=DIR/   the same by torch.distributed.checkpoint, by all ranks
STEPS=N           the number of steps, 18 unless told
"""

import gc
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint import state_dict
from torch.nn.parallel import DistributedDataParallel

STEPS = int(os.environ.get("STEPS", "18"))
CHECKPOINT = os.environ.get("CHECKPOINT", "")
SAVED_EVERY = 4
IS_SAVED_TOGETHER = CHECKPOINT.endswith("/")


def whole_state(model, optimizer, step):
    learned, moments = state_dict.get_state_dict(model, optimizer)
    return {"model": learned, "optimizer": moments, "step": step}


def load_together(model, optimizer):
    saved = whole_state(model, optimizer, 0)
    dcp.load(saved, checkpoint_id=CHECKPOINT)
    state_dict.set_state_dict(model, optimizer, model_state_dict=saved["model"], optim_state_dict=saved["optimizer"])
    return saved["step"]


def load(model, optimizer):
    if not os.path.exists(CHECKPOINT):
        return 0
    if IS_SAVED_TOGETHER:
        return load_together(model, optimizer)
    saved = torch.load(CHECKPOINT)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    return saved["step"]


def save(model, optimizer, step):
    if IS_SAVED_TOGETHER:
        dcp.save(whole_state(model, optimizer, step), checkpoint_id=CHECKPOINT)
    elif dist.get_rank() == 0:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, CHECKPOINT)


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(64, 512), nn.Tanh(), nn.Linear(512, 600), nn.Tanh(), nn.Linear(600, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    first = load(model, optimizer)
    parallel = DistributedDataParallel(model, bucket_cap_mb=1)
    for step in range(first + 1, STEPS + 1):
        inputs = torch.randn(16, 64, generator=torch.Generator().manual_seed(1000 * step + rank))
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(parallel(inputs), inputs.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
        sys.stdout.write(f"rank={rank} step={step} loss={loss.item().hex()}\n")
        sys.stdout.flush()
        if CHECKPOINT and step % SAVED_EVERY == 0:
            save(model, optimizer, step)
            dist.barrier()
    # Until the wrapper is gone Gloo's threads live, and one that still lets go of its last call when Python ends aborts.
    del parallel
    gc.collect()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
