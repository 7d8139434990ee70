"""One rank that fails wherever the recorder watches, and says how: in its data, its optimizer, its checkpoint, and at
last, without catching it, in a collective."""

import traceback

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset


class Broken(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        raise ValueError("a broken sample")


def data():
    next(iter(DataLoader(Broken())))


def optimizer():
    class Odd(torch.optim.SGD):
        def step(self, closure=None):
            raise ValueError("an odd optimizer")

    Odd([torch.nn.Parameter(torch.ones(1))], lr=0.1).step()


def checkpoint():
    torch.load("/no/such/checkpoint.pt")


def collective():
    dist.all_reduce(torch.ones(1), op=dist.ReduceOp.BAND)


dist.init_process_group("gloo")
for failure in (data, optimizer, checkpoint):
    try:
        failure()
    except Exception:
        traceback.print_exc()
collective()
