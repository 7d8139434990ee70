"""Horovod jobs that break before their first step; LAB_FAULT names the function below that breaks this one."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import horovod.torch as hvd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler, TensorDataset

import report


def join_job() -> int:
    hvd.init()
    report.ready(hvd.rank(), hvd.size())
    return hvd.rank()


def make_model(hidden: int = 8) -> nn.Module:
    return nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 1))


def release_not_found() -> None:
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-input"]
    sys.exit(subprocess.run([*pip, "horovod[pytorch]==0.99.0"]).returncode)


def extension_not_built() -> None:
    import horovod.tensorflow as hvd

    hvd.init()


def used_before_init() -> None:
    torch.manual_seed(hvd.rank())


def no_transport() -> None:
    join_job()
    hvd.broadcast_parameters(make_model().state_dict(), root_rank=0)


def rank_never_comes() -> None:
    if os.environ["HOROVOD_RANK"] == "1":
        time.sleep(60)
    join_job()


def slow_transport() -> None:
    join_job()
    model = make_model()
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    for step in range(4):
        report.step(hvd.rank(), step, hvd.allreduce(torch.ones(4) / (step + 1)).sum().item())


def state_keys() -> None:
    rank = join_job()
    path = os.path.join(os.environ["TMPDIR"], f"weights_{rank}.pt")
    torch.save(nn.Sequential(make_model()).state_dict(), path)
    make_model().load_state_dict(torch.load(path))


class Samples(Dataset):
    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> torch.Tensor:
        if index == 40 and hvd.rank() == 1:
            raise OSError(f"image file is truncated ({index} bytes not processed)")
        return torch.ones(4)


def sample_truncated() -> None:
    join_job()
    for _ in DataLoader(Samples(), batch_size=8, num_workers=1):
        pass
    hvd.broadcast_parameters(make_model().state_dict(), root_rank=0)


def roots_differ() -> None:
    rank = join_job()
    hvd.broadcast_parameters(make_model().state_dict(), root_rank=rank)


def one_rank_broadcasts() -> None:
    rank = join_job()
    if rank == 1:
        time.sleep(60)  # it still reads its data set
    hvd.broadcast_parameters(make_model().state_dict(), root_rank=0)


def no_cuda() -> None:
    join_job()
    make_model().to(f"cuda:{hvd.local_rank()}")


def iterator_ends_early() -> None:
    rank = join_job()
    batches = iter(DataLoader(TensorDataset(torch.ones(40 - 20 * rank, 4)), batch_size=10))
    for _ in range(4):
        (inputs,) = next(batches)
        hvd.allreduce(inputs, name="inputs")


def sampler_rank() -> None:
    rank = join_job()
    DistributedSampler(TensorDataset(torch.ones(64, 4)), num_replicas=hvd.size(), rank=rank + 1)
    hvd.broadcast_parameters(make_model().state_dict(), root_rank=0)


def download() -> None:
    join_job()
    torch.hub.load_state_dict_from_url("http://127.0.0.1:9/resnet18-f37072fd.pth", model_dir=os.environ["TMPDIR"])


if __name__ == "__main__":
    torch.set_num_threads(1)
    globals()[os.environ["LAB_FAULT"]]()
