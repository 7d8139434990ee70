"""Two ranks make every kind of call once, in a known order; torch_recorder_test.py knows what must be in the record."""

import os
import sys
import tempfile

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

sys.path.insert(0, os.environ["LAB_JOBS"])

import report

IS_OLD = torch.__version__.startswith("1.")


def collectives(rank, world):
    sums = torch.full((2, 3), float(rank))
    dist.all_reduce(sums)
    dist.all_reduce(sums, op=dist.ReduceOp.MAX)
    dist.all_reduce_coalesced([torch.ones(2) for _ in range(70)])
    dist.broadcast(torch.zeros(5, dtype=torch.int64), src=1)
    dist.reduce(torch.ones(4), dst=0)
    dist.all_gather([torch.empty(2) for _ in range(world)], torch.ones(2))
    if not IS_OLD:  # its Gloo has none
        dist.all_gather_into_tensor(torch.empty(4), torch.ones(2))
    dist.gather(torch.ones(3), [torch.empty(3) for _ in range(world)] if rank == 1 else None, dst=1)
    scattered = torch.empty(2, dtype=torch.float64)
    dist.scatter(scattered, [torch.ones(2, dtype=torch.float64)] * world if rank == 0 else None, src=0)
    dist.all_to_all_single(torch.empty(6), torch.ones(6))
    dist.barrier()
    dist.monitored_barrier()


def point_to_point(rank):
    tensor = torch.ones(7)
    if rank == 0:
        dist.send(tensor, 1)
        dist.isend(tensor, 1, tag=5).wait()
        dist.recv(tensor)
    else:
        dist.recv(tensor, 0)
        dist.irecv(tensor, 0, tag=5).wait()
        dist.send(tensor, 0)


def in_groups(rank):
    reversed_pair = dist.new_group([0, 1])
    alone = dist.new_group([1])
    works = [dist.all_reduce(torch.ones(size), group=reversed_pair, async_op=True) for size in (8, 9)]
    for work in works:
        work.wait()
    if rank == 1:
        dist.all_reduce(torch.ones(1), group=alone)


def functional():
    """Issued by C++."""
    if not IS_OLD:
        from torch.distributed import _functional_collectives
        _functional_collectives.all_reduce(torch.ones(11), "sum", dist.group.WORLD).sum().item()


def train(rank):
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    other = torch.optim.SGD(model.parameters(), lr=0.0)
    for batch in DataLoader(torch.ones(6, 4), batch_size=2):
        model(batch).sum().backward()
        optimizer.step()
        other.step()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{rank}.pt")
        torch.save(model.state_dict(), path)
        torch.load(path)


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    report.ready(rank, world)
    collectives(rank, world)
    point_to_point(rank)
    in_groups(rank)
    functional()
    train(rank)
    dist.barrier()
    report.done(rank, [b""])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
