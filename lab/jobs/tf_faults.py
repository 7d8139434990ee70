"""Steps of MultiWorkerMirroredStrategy; LAB_FAULT makes one rank do one thing differently in one step.

Without a fault it is a healthy job: in every step a bucket and a loss are reduced over all ranks. LAB_MODE says how: ops
called one by one (eager), a tf.function (function), or a loop within one (loop); several of them, "eager,loop", one after the
other, LAB_STEPS each. The fault "raise" is there in each of them: all but the last print its traceback and do the step again.
"""

from __future__ import annotations

import os
import time
import traceback

import tensorflow as tf

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
MODES = os.environ.get("LAB_MODE", "function").split(",")
FAULT, _, _where = os.environ.get("LAB_FAULT", "").partition(":")  # "shape:2@4": rank 2 in step 4
FAULTY_RANK, FAULTY_STEP = (int(number) for number in (_where or "-1@-1").split("@"))
WIDTH = 1 << 12

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def data_never_comes():
    while True:
        time.sleep(1)
        yield from ()


def wait_for_data() -> None:
    for _ in tf.data.Dataset.from_generator(data_never_comes, output_signature=tf.TensorSpec([], tf.int32)):
        pass


def all_reduce(value: tf.Tensor) -> tf.Tensor:
    return tf.distribute.get_replica_context().all_reduce("sum", value)


def step_on_replica(step: tf.Tensor, rank: int, fault: str) -> tf.Tensor:
    if fault == "raise":
        raise ValueError("a bad batch")
    gradient = tf.random.stateless_normal([2 * WIDTH if fault == "shape" else WIDTH], [SEED * 1000 + rank, step])
    bucket = gradient if fault == "skip" else all_reduce(gradient)
    return all_reduce(tf.reduce_mean(tf.square(bucket)))


def raise_and_go_on(train_step, step: int) -> str:
    try:
        train_step(tf.constant(step), "raise")
    except ValueError:
        traceback.print_exc()
    return ""


def main() -> None:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rank, world = strategy.cluster_resolver.task_id, strategy.num_replicas_in_sync

    def run_step(step: tf.Tensor, fault: str) -> tf.Tensor:
        return strategy.run(step_on_replica, args=(step, rank, fault))

    @tf.function
    def run_twice(step: tf.Tensor, fault: str) -> tf.Tensor:
        loss = tf.constant(0.0)
        for _ in tf.range(2):
            loss = run_step(step, fault)
        return loss

    ways = {"eager": run_step, "function": tf.function(run_step), "loop": run_twice}
    report.ready(rank, world)
    for step in range(STEPS * len(MODES)):
        train_step, is_last = ways[MODES[step // STEPS]], step // STEPS == len(MODES) - 1
        fault = FAULT if (rank, step % STEPS) == (FAULTY_RANK, FAULTY_STEP) else ""
        if fault == "raise" and not is_last:
            fault = raise_and_go_on(train_step, step)
        if fault:
            report.fault(rank, fault)
        if fault == "missing":
            time.sleep(3600)
        if fault == "data":
            wait_for_data()
        if fault == "leave":
            break
        report.step(rank, step, float(train_step(tf.constant(step), fault)))
    report.done(rank, [])


if __name__ == "__main__":
    main()
