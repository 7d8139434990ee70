"""A training job whose rank 1 does what its argument says from the fourth step on, while the others wait for it in a collective.
Started by a launcher, or with `spawn` as second argument by itself."""

import os
import sys
import threading
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.utils.data import DataLoader, Dataset

FAULTY_RANK = 1
FIRST_FAULTY_STEP = 3


class Samples(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((4,), float(index))


def never_comes(fifo: str) -> None:
    with open(fifo) as data:  # nobody writes
        data.read()


def waits_for_lock() -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def spins_for_ever() -> None:
    while True:
        pass


def misbehave(what: str) -> None:
    if what == "fifo":
        never_comes(os.environ["ATTACH_FIFO"])
    elif what == "lock":
        waits_for_lock()
    elif what == "spin":
        spins_for_ever()
    elif what == "barrier":
        dist.barrier()


def train(rank: int, what: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    gradient = torch.zeros(8)
    for step, batch in enumerate(DataLoader(Samples(), batch_size=1, num_workers=1)):
        if what != "healthy" and rank == FAULTY_RANK and step == FIRST_FAULTY_STEP:
            print("misbehaves", flush=True)
            misbehave(what)
        gradient += batch.sum()
        dist.all_reduce(gradient)
        print(f"rank {rank} step {step}", flush=True)
        while what == "healthy" and step == len(Samples()) - 1:  # goes on
            dist.all_reduce(gradient)
            time.sleep(0.02)
    dist.destroy_process_group()


def spawned(index: int, what: str, world_size: int) -> None:
    os.environ |= {"RANK": str(index), "WORLD_SIZE": str(world_size)}
    train(index, what)


if __name__ == "__main__":
    if "spawn" in sys.argv[2:]:
        multiprocessing.spawn(spawned, (sys.argv[1], 3), nprocs=3)
    else:
        train(int(os.environ["RANK"]), sys.argv[1])
