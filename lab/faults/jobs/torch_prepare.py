"""PyTorch jobs that break before their first step; LAB_FAULT names the function below that breaks this one."""

from __future__ import annotations

import datetime
import os
import signal
import socket
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import distributed_c10d
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import report

PATIENCE = datetime.timedelta(seconds=6)
TIME_TO_START = datetime.timedelta(seconds=120)  # a busy machine imports for long, and not all ranks alike


def join_job(patience: datetime.timedelta = TIME_TO_START) -> int:
    dist.init_process_group("gloo", timeout=patience)
    report.ready(dist.get_rank(), dist.get_world_size())
    return dist.get_rank()


def make_model(hidden: int = 8) -> nn.Module:
    return nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 1))


def extension_header() -> None:
    from torch.utils import cpp_extension

    join_job()
    source = "#include <nccl.h>\nint version() { return NCCL_MAJOR; }"
    cpp_extension.load_inline(f"comm_version_{dist.get_rank()}", source, functions=["version"], verbose=True)


def module_missing() -> None:
    join_job()
    from fused_kernels import FusedAdam

    FusedAdam(make_model().parameters())


def module_missing_on_one_rank() -> None:
    rank = join_job()
    if rank == 1:
        import fused_kernels  # what a node of another image lacks
    DistributedDataParallel(make_model())


def port_taken() -> None:
    """A job left over from yesterday still listens on the port of the rendezvous."""
    if os.environ["RANK"] == "0":
        leftover = socket.create_server(("127.0.0.1", int(os.environ["MASTER_PORT"])))
    join_job(PATIENCE)


def rank_unset() -> None:
    if os.environ["RANK"] == "1":
        del os.environ["RANK"]
    join_job()


def address_unknown() -> None:
    os.environ["MASTER_ADDR"] = "trainer-0.invalid"
    join_job(PATIENCE)


def group_missing() -> None:
    DistributedDataParallel(make_model())


def rank_never_comes() -> None:
    join_job(PATIENCE)


def module_prefix() -> None:
    join_job()
    trained = DistributedDataParallel(make_model())
    path = os.path.join(os.environ["TMPDIR"], f"weights_{dist.get_rank()}.pt")
    torch.save(trained.state_dict(), path)
    make_model().load_state_dict(torch.load(path))


def weights_of_another_size() -> None:
    join_job()
    path = os.path.join(os.environ["TMPDIR"], f"weights_{dist.get_rank()}.pt")
    torch.save(make_model(hidden=16).state_dict(), path)
    make_model().load_state_dict(torch.load(path))


class Samples(torch.utils.data.Dataset):
    def __init__(self, bad: str) -> None:
        self.bad = bad

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> torch.Tensor:
        if index == 40 and self.bad == "killed":
            os.kill(os.getpid(), signal.SIGKILL)  # what the kernel does to a worker when memory ends
        if index == 40 and self.bad == "truncated":
            return torch.load(_truncated_sample())
        return torch.ones(4)


def _truncated_sample() -> str:
    path = os.path.join(os.environ["TMPDIR"], f"sample_{os.getpid()}.pt")
    torch.save(torch.ones(4096), path)
    os.truncate(path, 700)
    return path


def loader_worker_killed() -> None:
    rank = join_job()
    for _ in DataLoader(Samples("killed" if rank == 1 else ""), batch_size=8, num_workers=2):
        pass
    dist.barrier()


def sample_truncated() -> None:
    join_job()
    for _ in DataLoader(Samples("truncated"), batch_size=8, num_workers=2):
        pass


def models_differ() -> None:
    rank = join_job()
    layers = [nn.Linear(4, 4) for _ in range(2 + rank)]
    DistributedDataParallel(nn.Sequential(*layers))


def one_rank_wraps() -> None:
    rank = join_job()
    distributed_c10d._set_pg_timeout(PATIENCE)
    if rank == 1:
        time.sleep(60)  # it still reads its data set
    DistributedDataParallel(make_model())


def no_cuda() -> None:
    join_job()
    local_rank = int(os.environ["LOCAL_RANK"])
    DistributedDataParallel(make_model().to(f"cuda:{local_rank}"), device_ids=[local_rank])


def iterator_ends_early() -> None:
    rank = join_job()
    model = DistributedDataParallel(make_model())
    batches = iter(DataLoader(TensorDataset(torch.ones(40 - 20 * rank, 4)), batch_size=10))
    for _ in range(4):
        (inputs,) = next(batches)
        model(inputs).mean().backward()


def sampler_rank() -> None:
    rank = join_job()
    samples = TensorDataset(torch.ones(64, 4))
    DistributedSampler(samples, num_replicas=dist.get_world_size(), rank=rank + 1)
    dist.barrier()


def download() -> None:
    join_job()
    torch.hub.load_state_dict_from_url("http://127.0.0.1:9/resnet18-f37072fd.pth", model_dir=os.environ["TMPDIR"])


def wrong_argument() -> None:
    import argparse

    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--epochs", type=int, default=1)
    parser.parse_args(["--epochs", "2", "--amp-level", "O2"])


if __name__ == "__main__":
    torch.set_num_threads(1)
    globals()[os.environ["LAB_FAULT"]]()
