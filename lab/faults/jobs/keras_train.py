"""Keras jobs over several workers that break in fit; LAB_FAULT names the function below that breaks this one."""

from __future__ import annotations

import ctypes
import os
import pathlib
import time
from collections.abc import Callable

import tensorflow as tf

import report

SCRATCH = pathlib.Path(os.environ["TMPDIR"])
RANK = int(os.environ.get("LAB_RANK", "0"))
FAULTY_STEP = 3


class EachStep(tf.keras.callbacks.Callback):
    """Prints the steps; before_step is the user's own callback, and the fault."""

    def __init__(self, world: int, before_step: Callable[[int], None]) -> None:
        super().__init__()
        self.world = world
        self.before_step = before_step
        self.steps = 0

    def on_train_begin(self, logs: dict | None = None) -> None:
        report.ready(RANK, self.world)

    def on_train_batch_begin(self, batch: int, logs: dict | None = None) -> None:
        self.before_step(self.steps)

    def on_train_batch_end(self, batch: int, logs: dict) -> None:
        report.step(RANK, self.steps, float(logs["loss"]))
        self.steps += 1


def samples(features: int = 4, count: int = 256) -> tf.data.Dataset:
    inputs = tf.random.stateless_normal([count, features], [1, 1])
    return tf.data.Dataset.from_tensor_slices((inputs, tf.reduce_sum(inputs, axis=1, keepdims=True))).batch(16)


def small_model(hidden: int = 8) -> tf.keras.Model:
    return tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(hidden, "relu"), tf.keras.layers.Dense(1)])


def fit(before_step: Callable[[int], None] = lambda step: None, *, rate: float = 0.01, epochs: int = 1,
        data: Callable[[], tf.data.Dataset] = lambda: samples(), callbacks: tuple = (), make_model: Callable[[], tf.keras.Model] = small_model) -> tf.keras.Model:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        model = make_model()
        model.compile(optimizer=tf.keras.optimizers.SGD(rate), loss="mse")
    each_step = EachStep(strategy.num_replicas_in_sync, before_step)
    model.fit(data(), epochs=epochs, verbose=2, callbacks=[each_step, *callbacks])
    return model


def at_fault(step: int, rank: int | None = None) -> bool:
    return step == FAULTY_STEP and rank in (None, RANK)


def peer_killed() -> None:
    fit(lambda step: time.sleep(0.1), epochs=20)


def memory() -> None:
    fit(make_model=lambda: small_model(hidden=1 << 40))


class OnGpu(tf.keras.layers.Layer):
    def call(self, inputs):
        with tf.device("/GPU:0"):
            return tf.matmul(inputs, tf.eye(4))


def layer_on_gpu() -> None:
    tf.config.set_soft_device_placement(False)
    fit(make_model=lambda: tf.keras.Sequential([tf.keras.Input((4,)), OnGpu(), tf.keras.layers.Dense(1)]))


def compiled_outside_scope() -> None:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    model = small_model()
    with strategy.scope():
        model.compile(optimizer="sgd", loss="mse")
    model.fit(samples(), verbose=2)


def features_differ() -> None:
    fit(data=lambda: samples(features=5))


class Applied(tf.keras.layers.Layer):
    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def call(self, inputs):
        return self.function(inputs)


def save_needs_config() -> None:
    def doubled(inputs):
        return 2 * inputs
    model = fit(make_model=lambda: tf.keras.Sequential(
        [tf.keras.Input((4,)), Applied(doubled), tf.keras.layers.Dense(1)]))
    model.save(str(SCRATCH / f"model_{RANK}.h5"))


def segfault() -> None:
    fit(lambda step: ctypes.memset(8, 0, 8) if at_fault(step, rank=1) else None)


def method_of_old_release() -> None:
    fit().predict_classes(tf.ones([1, 4]))


def file_on_one_node() -> None:
    def before_step(step):
        if at_fault(step, rank=1):
            open("/shared/run7/labels.json")
    fit(before_step)


class Unfinished(tf.keras.Model):
    pass


def call_not_implemented() -> None:
    fit(make_model=Unfinished)


class ReadAccuracy(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs):
        print(f"accuracy {logs['val_accuracy']}")


def key_missing() -> None:
    fit(callbacks=(ReadAccuracy(),))


def rank_waits_for_data() -> None:
    fit(lambda step: time.sleep(60) if at_fault(step, rank=1) else None)


def every_rank_alone() -> None:
    fit()


def loss_nan() -> None:
    fit(rate=1e6, epochs=2, callbacks=(tf.keras.callbacks.TerminateOnNaN(),))


def diverges() -> None:
    fit(rate=1.4, epochs=2, make_model=lambda: tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)]))


if __name__ == "__main__":
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    globals()[os.environ["LAB_FAULT"]]()
