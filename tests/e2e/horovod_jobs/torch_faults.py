"""Training steps that reduce three buckets; LAB_FAULT makes one rank do something differently from one step on.

Without a fault it is healthy. With "join" too: the rank's data ends early and it says so, as Horovod wants it. With "refused"
everybody goes on after the errors."""

import os
import sys
import time

import horovod.torch as hvd
import torch
from horovod.common.exceptions import HorovodInternalError

sys.path.insert(0, os.environ["LAB_JOBS"])

import report

STEPS = int(os.environ.get("LAB_STEPS", "6"))
FAULT, _, _where = os.environ.get("LAB_FAULT", "").partition(":")  # "shape:2@4": rank 2 in step 4
FAULTY_RANK, FAULTY_STEP = (int(number) for number in (_where or "-1@-1").split("@"))
BUCKETS = 3


def bring(number, bucket, fault):
    """The handle of one bucket's reduction."""
    op = hvd.Average
    if number == 0 and fault in ("shape", "refused"):
        bucket = bucket.repeat(2)
    if number == 1 and fault == "refused":
        bucket = bucket.double()
    if number == 2 and fault == "refused":
        op = hvd.Max
    if fault == "reuse":
        hvd.allreduce_async(bucket, name="extra")
        hvd.allreduce_async(bucket, name="extra")
    return hvd.allreduce_async(bucket, name=f"bucket_{number}", op=op)


def reduced(handle, bucket):
    try:
        return hvd.synchronize(handle)
    except HorovodInternalError:
        if FAULT != "refused":
            raise
        return bucket


def reduce_buckets(buckets, fault):
    left_out = {"skip": 1, "skip_last": BUCKETS - 1}.get(fault)
    handles = [(bring(number, bucket, fault), bucket) for number, bucket in enumerate(buckets) if number != left_out]
    return [reduced(handle, bucket) for handle, bucket in handles]


def train_step(weights, optimizer, fault):
    if fault == "missing":
        while True:
            time.sleep(1)
    buckets = reduce_buckets([weights.detach() + number for number in range(BUCKETS)], fault)
    weights.grad = buckets[0].reshape(weights.shape)
    optimizer.step()
    return weights.detach().square().mean().item()


def main():
    torch.set_num_threads(1)
    hvd.init()
    rank = hvd.rank()
    weights = torch.nn.Parameter(torch.full((64,), 1.0 + rank))
    optimizer = torch.optim.SGD([weights], lr=0.1)
    report.ready(rank, hvd.size())
    for step in range(STEPS):
        is_faulty = rank == FAULTY_RANK and step >= FAULTY_STEP
        if is_faulty and step == FAULTY_STEP:
            report.fault(rank, FAULT)
        if is_faulty and FAULT in ("join", "leave"):
            break
        report.step(rank, step, train_step(weights, optimizer, FAULT if is_faulty else ""))
    if FAULT == "join":
        hvd.join()
        for step in range(STEPS, STEPS + 3):
            report.step(rank, step, train_step(weights, optimizer, ""))
    report.done(rank, [weights.detach().numpy().tobytes()])
    hvd.shutdown()


if __name__ == "__main__":
    main()
