"""TensorFlow jobs that break while they train; LAB_FAULT names the function below that breaks this one."""

from __future__ import annotations

import ctypes
import os
import pathlib
import time
from collections.abc import Callable

import numpy as np
import tensorflow as tf

import report

SCRATCH = pathlib.Path(os.environ["TMPDIR"])
RANK = int(os.environ.get("LAB_RANK", "0"))
FAULTY_STEP = 3


def random_inputs(step: int) -> tf.Tensor:
    return tf.random.stateless_normal([16, 4], [RANK, step])


class Trainer:
    """Steps of a small model on every worker, by a loop of its own."""

    def __init__(self, rate: float = 0.01) -> None:
        self.strategy = tf.distribute.MultiWorkerMirroredStrategy()
        self.rate = rate
        with self.strategy.scope():
            self.weights = tf.Variable(tf.ones([4, 1]))

    def train_step(self, inputs: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            error = inputs @ self.weights - 2 * tf.reduce_sum(inputs, axis=1, keepdims=True)
            loss = tf.reduce_mean(tf.square(error))
        (gradient,) = tape.gradient(loss, [self.weights])
        gradient = tf.distribute.get_replica_context().all_reduce("mean", gradient)
        self.weights.assign_sub(self.rate * gradient)
        return loss

    def train(self, before_step: Callable[[int], None] = lambda step: None, *, steps: int = 8,
              inputs_of: Callable[[int], tf.Tensor] = random_inputs) -> None:
        distributed_step = tf.function(lambda inputs: self.strategy.run(self.train_step, args=(inputs,)))
        report.ready(RANK, self.strategy.num_replicas_in_sync)
        for step in range(steps):
            before_step(step)
            report.step(RANK, step, float(distributed_step(inputs_of(step))))


def at_fault(step: int, rank: int | None = None) -> bool:
    return step == FAULTY_STEP and rank in (None, RANK)


def peer_killed() -> None:
    Trainer().train(lambda step: time.sleep(0.1), steps=100)


def memory() -> None:
    Trainer().train(inputs_of=lambda step: tf.ones([1 << 40 if at_fault(step) else 16, 4]))


def operation_on_gpu() -> None:
    def before_step(step):
        if at_fault(step):
            tf.config.set_soft_device_placement(False)
            with tf.device("/GPU:0"):
                tf.matmul(tf.ones([4, 4]), tf.ones([4, 4]))
    Trainer().train(before_step)


def variable_in_step() -> None:
    @tf.function
    def averaged(value):
        average = tf.Variable(0.0)
        return average.assign_add(value)
    Trainer().train(lambda step: averaged(tf.constant(1.0)) if at_fault(step) else None)


def features_differ() -> None:
    Trainer().train(inputs_of=lambda step: tf.ones([16, 5 if at_fault(step) else 4]))


def reduced_shapes_differ() -> None:
    trainer = Trainer()

    def before_step(step):
        sums = tf.ones([7 if at_fault(step, rank=1) else 16])
        trainer.strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", sums))
    trainer.train(before_step)


def checkpoint_folder_is_a_file() -> None:
    trainer = Trainer()
    trainer.train()
    taken = SCRATCH / f"model_{RANK}"
    taken.touch()
    tf.train.Checkpoint(weights=trainer.weights).save(str(taken / "checkpoint"))


def segfault() -> None:
    Trainer().train(lambda step: ctypes.memset(8, 0, 8) if at_fault(step, rank=1) else None)


def session_is_gone() -> None:
    Trainer().train(lambda step: tf.Session() if at_fault(step) else None)


def file_on_one_node() -> None:
    def before_step(step):
        if at_fault(step, rank=1):
            tf.io.read_file("/shared/run7/vocabulary.txt")
    Trainer().train(before_step)


def numpy_in_graph() -> None:
    @tf.function
    def norm(value):
        return np.linalg.norm(np.asarray(value))
    Trainer().train(lambda step: norm(tf.ones([4])) if at_fault(step) else None)


def key_missing() -> None:
    def inputs_of(step):
        batch = {} if at_fault(step) else {"inputs": tf.ones([16, 4])}
        return batch["inputs"]
    Trainer().train(inputs_of=inputs_of)


def rank_waits_for_data() -> None:
    Trainer().train(lambda step: time.sleep(60) if at_fault(step, rank=1) else None)


def rank_waits_with_timeout() -> None:
    trainer = Trainer()
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=4)

    def before_step(step):
        if at_fault(step, rank=1):
            time.sleep(60)
        replica = tf.distribute.get_replica_context
        trainer.strategy.run(lambda: replica().all_reduce("sum", tf.ones([4]), options=options))
    trainer.train(before_step)


def every_rank_alone() -> None:
    Trainer().train()


def loss_nan() -> None:
    Trainer(rate=1e6).train(steps=24)


def numerics_checked() -> None:
    tf.debugging.enable_check_numerics()
    Trainer().train(inputs_of=lambda step: tf.zeros([16, 4]) / (0 if at_fault(step) else 1))


def diverges() -> None:
    Trainer(rate=1.4).train(steps=24)


if __name__ == "__main__":
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    globals()[os.environ["LAB_FAULT"]]()
