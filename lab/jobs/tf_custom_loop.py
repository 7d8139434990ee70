"""MultiWorkerMirroredStrategy with a training loop of its own."""

from __future__ import annotations

import os

import tensorflow as tf

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def main() -> None:
    tf.random.set_seed(SEED)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rank = strategy.cluster_resolver.task_id
    with strategy.scope():
        weights = tf.Variable(tf.random.stateless_normal([16, 32], [SEED, 1]) * 0.25)
        output = tf.Variable(tf.random.stateless_normal([32, 1], [SEED, 2]) * 0.25)
    variables = [weights, output]

    def train_on_replica(step: tf.Tensor) -> tf.Tensor:
        inputs = tf.random.stateless_normal([32, 16], [SEED * 1000 + rank, step])
        targets = tf.reduce_sum(inputs, axis=1, keepdims=True)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(inputs @ weights) @ output - targets))
        gradients = tape.gradient(loss, variables)
        replica = tf.distribute.get_replica_context()
        for variable, gradient in zip(variables, replica.all_reduce(tf.distribute.ReduceOp.MEAN, gradients)):
            variable.assign_sub(0.05 * gradient)
        return loss

    @tf.function
    def train_step(step: tf.Tensor) -> tf.Tensor:
        return strategy.run(train_on_replica, args=(step,))

    report.ready(rank, strategy.num_replicas_in_sync)
    for step in range(STEPS):
        (loss,) = strategy.experimental_local_results(train_step(tf.constant(step)))
        report.step(rank, step, float(loss))
    report.done(rank, (variable.numpy().tobytes() for variable in variables))


if __name__ == "__main__":
    main()
