"""Data-parallel training of a TensorFlow model with Horovod's gradient tape."""

from __future__ import annotations

import os

import horovod.tensorflow as hvd
import tensorflow as tf

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def main() -> None:
    hvd.init()
    rank = hvd.rank()
    weights = tf.Variable(tf.random.stateless_normal([16, 32], [SEED + rank, 1]) * 0.25)
    output = tf.Variable(tf.random.stateless_normal([32, 1], [SEED + rank, 2]) * 0.25)
    variables = [weights, output]
    hvd.broadcast_variables(variables, root_rank=0)

    @tf.function
    def train_step(step: tf.Tensor) -> tf.Tensor:
        inputs = tf.random.stateless_normal([32, 16], [SEED * 1000 + rank, step])
        with tf.GradientTape() as tape:
            predicted = tf.tanh(inputs @ weights) @ output
            loss = tf.reduce_mean(tf.square(predicted - tf.reduce_sum(inputs, axis=1, keepdims=True)))
        gradients = hvd.DistributedGradientTape(tape).gradient(loss, variables)
        for variable, gradient in zip(variables, gradients):
            variable.assign_sub(0.05 * gradient)
        return loss

    report.ready(rank, hvd.size())
    for step in range(STEPS):
        report.step(rank, step, float(train_step(tf.constant(step))))
    report.done(rank, (variable.numpy().tobytes() for variable in variables))
    hvd.shutdown()


if __name__ == "__main__":
    main()
