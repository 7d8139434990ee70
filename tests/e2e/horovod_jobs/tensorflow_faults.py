"""Training steps in a graph that reduce three buckets; LAB_FAULT makes one rank do one thing differently from one step on."""

import os
import sys
import time

import horovod.tensorflow as hvd
import tensorflow as tf

sys.path.insert(0, os.environ["LAB_JOBS"])

import report

STEPS = int(os.environ.get("LAB_STEPS", "6"))
FAULT, _, _where = os.environ.get("LAB_FAULT", "").partition(":")  # "shape:2@4": rank 2 in step 4
FAULTY_RANK, FAULTY_STEP = (int(number) for number in (_where or "-1@-1").split("@"))

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(2)


def graph_of_step(fault):
    """Names are what ranks meet by, and equal in both graphs."""

    @tf.function(autograph=False)
    def train_step(weights):
        sums = []
        for number in range(3):
            if fault == "skip" and number == 1:
                continue
            bucket = tf.tile(weights, [2]) if fault == "shape" and number == 1 else weights + float(number)
            sums.append(tf.reduce_sum(hvd.allreduce(bucket, op=hvd.Sum, name=f"bucket_{number}")))
        return tf.add_n(sums)

    return train_step


def main():
    hvd.init()
    rank = hvd.rank()
    as_meant, at_fault = graph_of_step(""), graph_of_step(FAULT)
    weights = tf.fill([64], 1.0 + rank)
    report.ready(rank, hvd.size())
    for step in range(STEPS):
        is_faulty = rank == FAULTY_RANK and step >= FAULTY_STEP
        if is_faulty and step == FAULTY_STEP:
            report.fault(rank, FAULT)
        if is_faulty and FAULT == "missing":
            time.sleep(3600)
        if is_faulty and FAULT == "leave":
            break
        loss = (at_fault if is_faulty else as_meant)(weights)
        report.step(rank, step, float(loss))
    report.done(rank, [weights.numpy().tobytes()])
    hvd.shutdown()


if __name__ == "__main__":
    main()
