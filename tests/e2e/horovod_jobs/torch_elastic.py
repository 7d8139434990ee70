"""Elastic training: the rank of LAB_DIES ("0@2": rank 0 in step 2) is killed, Horovod gives the others new ranks, and they go
on. LAB_FAULT makes a rank of the second life do something differently. Steps go on over both lives; each life says who is
ready in it."""

import os
import signal
import sys
import time

import horovod.torch as hvd
import torch

sys.path.insert(0, os.environ["LAB_JOBS"])

import report

STEPS = int(os.environ.get("LAB_STEPS", "6"))


def where(text):
    return tuple(int(number) for number in (text or "-1@-1").split("@"))


DIES = where(os.environ.get("LAB_DIES"))
FAULT, _, _place = os.environ.get("LAB_FAULT", "").partition(":")  # "missing:1@4": rank 1 of the second life in step 4
FAULTY = where(_place)
_lives = 0


def reduce_once(step, weights):
    here = (hvd.rank(), step)
    if here == DIES and _lives == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if here == FAULTY and _lives == 2:
        if FAULT == "missing":
            while True:
                time.sleep(1)
        weights = weights.repeat(2)  # "shape"
    return hvd.allreduce(weights, name="weights")


@hvd.elastic.run
def train(state):
    global _lives
    _lives += 1
    report.ready(hvd.rank(), hvd.size())
    while state.step < STEPS:
        reduced = reduce_once(state.step, state.weights)
        state.weights = reduced * 0.5
        report.step(hvd.rank(), state.step, state.weights.sum().item())
        state.step += 1
        state.commit()


def main():
    torch.set_num_threads(1)
    hvd.init()
    state = hvd.elastic.TorchState(step=0, weights=torch.full((64,), 1.0))
    train(state)
    report.done(hvd.rank(), [state.weights.numpy().tobytes()])


if __name__ == "__main__":
    main()
