"""Two ranks make every kind of call of horovod.torch once; horovod_recorder_test.py knows what must be in the record."""

import os
import sys

import horovod.torch as hvd
import torch
import torch.distributed
from horovod.runner.common.util.hosts import get_host_assignments, parse_hosts
from horovod.runner.http.http_server import RendezvousServer

sys.path.insert(0, os.environ["LAB_JOBS"])

import report


def collectives(rank):
    hvd.allreduce(torch.ones(2, 3), name="sums", op=hvd.Sum)
    hvd.allreduce_(torch.ones(2, 3), op=hvd.Max)
    hvd.grouped_allreduce([torch.ones(2), torch.ones(3)], name="pair", op=hvd.Average)
    hvd.allgather(torch.ones(1 + rank, 2), name="rows")
    hvd.broadcast(torch.zeros(5, dtype=torch.int64), root_rank=1, name="numbers")
    hvd.alltoall(torch.ones(4), name="shuffle")
    hvd.reducescatter(torch.ones(4, 2), name="parts", op=hvd.Sum)
    hvd.barrier()
    hvd.broadcast_object({"rank": rank}, root_rank=0, name="object")
    hvd.allgather_object([rank] * (1 + rank), name="objects")


def in_another_order(rank):
    """Healthy: names tell which is which."""
    names = ["first", "second", "third"]
    handles = [hvd.allreduce_async(torch.ones(8), name=name) for name in (names if rank == 0 else reversed(names))]
    for handle in handles:
        hvd.synchronize(handle)


def in_process_sets(rank, both, second):
    hvd.allreduce(torch.ones(3), name="sums", process_set=both)
    if rank == 1:
        hvd.broadcast(torch.ones(3), root_rank=1, name="alone", process_set=second)


def meet_elsewhere(rank):
    """Horovod's rendezvous forgets which ranks are done with a scope when all are done with another: on a busy machine who begins
    again finds addresses of the life before. Another rendezvous has none."""
    store = torch.distributed.FileStore(os.environ["LOCKSTEP_RECORD"] + ".lives", 2)
    if rank == 0:
        rendezvous = RendezvousServer()
        port = rendezvous.start()
        rendezvous.init(get_host_assignments(parse_hosts("localhost:2"), 2))
        store.set("port", str(port))
    os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"] = store.get("port").decode()


def main():
    torch.set_num_threads(1)
    second = hvd.ProcessSet([1])
    hvd.init(process_sets=[second])
    rank = hvd.rank()
    report.ready(rank, hvd.size())
    collectives(rank)
    in_another_order(rank)
    in_process_sets(rank, hvd.global_process_set, second)
    for _ in range(3 - rank):
        hvd.allreduce(torch.ones(7), name="uneven")
    hvd.join()
    hvd.allreduce(torch.ones(7), name="uneven")
    report.done(rank, [b""])
    hvd.shutdown()
    if os.environ.get("LAB_STARTS_AGAIN"):  # MPI cannot
        meet_elsewhere(rank)
        hvd.init()
        hvd.allreduce(torch.ones(7), name="uneven")
        hvd.shutdown()


if __name__ == "__main__":
    main()
