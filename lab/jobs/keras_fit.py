"""Keras model.fit under MultiWorkerMirroredStrategy.

Keras 3 cannot do this (its fit averages scalar logs over a batch axis), so this is Keras 2: TF_USE_LEGACY_KERAS=1.
"""

from __future__ import annotations

import os
import time

import tensorflow as tf

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
EPOCHS = int(os.environ.get("LAB_EPOCHS", "1"))
FAULT, _, _where = os.environ.get("LAB_FAULT", "").partition(":")  # "missing:1@5": rank 1 before step 5; "shape": from its start
FAULTY_RANK, FAULTY_STEP = (int(number) for number in (_where or "-1@-1").split("@"))
BATCH = 32

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


class ReportSteps(tf.keras.callbacks.Callback):
    def __init__(self, rank: int, world: int) -> None:
        super().__init__()
        self.rank = rank
        self.world = world
        self.step = 0

    def on_train_begin(self, logs: dict | None = None) -> None:
        report.ready(self.rank, self.world)

    def on_train_batch_begin(self, batch: int, logs: dict | None = None) -> None:
        if FAULT != "shape" and (self.rank, self.step) == (FAULTY_RANK, FAULTY_STEP):
            report.fault(self.rank, FAULT)
            if FAULT == "missing":
                time.sleep(3600)
            self.model.stop_training = FAULT == "leave"

    def on_train_batch_end(self, batch: int, logs: dict) -> None:
        report.step(self.rank, self.step, float(logs["loss"]))
        self.step += 1


def sharded_data() -> tf.data.Dataset:
    inputs = tf.random.stateless_normal([STEPS * BATCH, 16], [SEED, 1])
    targets = tf.reduce_sum(inputs, axis=1, keepdims=True)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    return tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(BATCH).with_options(options)


def main() -> None:
    tf.keras.utils.set_random_seed(SEED)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rank, world = strategy.cluster_resolver.task_id, strategy.num_replicas_in_sync
    is_wider = FAULT == "shape" and rank == FAULTY_RANK
    if is_wider:
        report.fault(rank, FAULT)
    with strategy.scope():
        layers = [tf.keras.layers.Dense(64 if is_wider else 32, "tanh", input_shape=(16,)), tf.keras.layers.Dense(1)]
        model = tf.keras.Sequential(layers)
        model.compile(optimizer=tf.keras.optimizers.SGD(0.05), loss="mse")
    model.fit(sharded_data(), epochs=EPOCHS, verbose=0, callbacks=[ReportSteps(rank, world)])
    report.done(rank, (weights.tobytes() for weights in model.get_weights()))


if __name__ == "__main__":
    main()
