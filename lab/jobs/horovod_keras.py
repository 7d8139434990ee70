"""Keras model.fit with Horovod's optimizer and callbacks."""

from __future__ import annotations

import os

import horovod.tensorflow.keras as hvd
import tensorflow as tf

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BATCH = 32

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


class ReportSteps(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs: dict | None = None) -> None:
        report.ready(hvd.rank(), hvd.size())

    def on_train_batch_end(self, batch: int, logs: dict) -> None:
        report.step(hvd.rank(), batch, float(logs["loss"]))


def main() -> None:
    hvd.init()
    tf.keras.utils.set_random_seed(SEED + hvd.rank())
    inputs = tf.random.stateless_normal([STEPS * BATCH, 16], [SEED * 1000 + hvd.rank(), 1])
    targets = tf.reduce_sum(inputs, axis=1, keepdims=True)

    model = tf.keras.Sequential([tf.keras.layers.Dense(32, "tanh", input_shape=(16,)), tf.keras.layers.Dense(1)])
    model.compile(optimizer=hvd.DistributedOptimizer(tf.keras.optimizers.SGD(0.05)), loss="mse")
    callbacks = [hvd.callbacks.BroadcastGlobalVariablesCallback(0), ReportSteps()]
    model.fit(inputs, targets, batch_size=BATCH, epochs=1, shuffle=False, verbose=0, callbacks=callbacks)

    report.done(hvd.rank(), (weights.tobytes() for weights in model.get_weights()))
    hvd.shutdown()


if __name__ == "__main__":
    main()
