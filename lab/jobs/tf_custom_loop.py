"""MultiWorkerMirroredStrategy with a training loop of its own around a Keras 3 model."""

from __future__ import annotations

import os

import keras
import tensorflow as tf

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def main() -> None:
    keras.utils.set_random_seed(SEED)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rank = strategy.cluster_resolver.task_id
    with strategy.scope():
        model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(32, "tanh"), keras.layers.Dense(1)])
        optimizer = keras.optimizers.SGD(0.05)
        optimizer.build(model.trainable_variables)

    def train_on_replica(step: tf.Tensor) -> tf.Tensor:
        inputs = tf.random.stateless_normal([32, 16], [SEED * 1000 + rank, step])
        with tf.GradientTape() as tape:
            error = model(inputs, training=True) - tf.reduce_sum(inputs, axis=1, keepdims=True)
            loss = tf.reduce_mean(tf.square(error))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    @tf.function
    def train_step(step: tf.Tensor) -> tf.Tensor:
        return strategy.run(train_on_replica, args=(step,))

    report.ready(rank, strategy.num_replicas_in_sync)
    for step in range(STEPS):
        (loss,) = strategy.experimental_local_results(train_step(tf.constant(step)))
        report.step(rank, step, float(loss))
    report.done(rank, (variable.numpy().tobytes() for variable in model.trainable_variables))


if __name__ == "__main__":
    main()
