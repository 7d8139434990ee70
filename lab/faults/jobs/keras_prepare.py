"""Keras jobs of several workers that break before their first step; LAB_FAULT names the function that does it."""

from __future__ import annotations

import os
import pathlib
import time

import tensorflow as tf

import report

SCRATCH = pathlib.Path(os.environ["TMPDIR"])
RANK = int(os.environ.get("LAB_RANK", "0"))


def join_job() -> tf.distribute.Strategy:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    report.ready(RANK, strategy.num_replicas_in_sync)
    return strategy


def make_model(hidden: int = 8, layers: int = 2) -> tf.keras.Model:
    inner = [tf.keras.layers.Dense(hidden, "relu") for _ in range(layers - 1)]
    return tf.keras.Sequential([tf.keras.Input((4,)), *inner, tf.keras.layers.Dense(1)])


def samples(count: int = 64) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices((tf.ones([count, 4]), tf.ones([count, 1]))).batch(16)


def compiled_model(strategy: tf.distribute.Strategy) -> tf.keras.Model:
    with strategy.scope():
        model = make_model()
        model.compile(optimizer="sgd", loss="mse")
    return model


def model_of_old_release() -> None:
    from tensorflow.keras.utils import multi_gpu_model

    multi_gpu_model(make_model(), gpus=2)


def strategy_made_late() -> None:
    make_model()
    join_job()


def rank_never_comes() -> None:
    if RANK == 1:
        time.sleep(60)
    compiled_model(join_job())


def weights_of_more_layers() -> None:
    path = str(SCRATCH / f"weights_{RANK}.h5")
    make_model(layers=3).save_weights(path)
    make_model().load_weights(path)


def no_images() -> None:
    folder = SCRATCH / f"images_{RANK}" / "cats"
    folder.mkdir(parents=True)
    join_job()
    tf.keras.utils.image_dataset_from_directory(folder.parent)


def models_differ() -> None:
    with join_job().scope():
        make_model(hidden=8 + RANK)


def one_rank_builds() -> None:
    strategy = join_job()
    if RANK == 1:
        time.sleep(60)  # it still reads its data set
    compiled_model(strategy)


def no_gpu() -> None:
    tf.config.set_soft_device_placement(False)
    join_job()
    with tf.device("/GPU:0"):
        make_model()


def out_of_data() -> None:
    compiled_model(join_job()).fit(samples(), epochs=2, steps_per_epoch=8, verbose=2)


def files_for_shards() -> None:
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
    compiled_model(join_job()).fit(samples().with_options(options), verbose=2)


def download() -> None:
    join_job()
    tf.keras.utils.get_file("mnist.npz", "http://127.0.0.1:9/mnist.npz", cache_dir=str(SCRATCH))


if __name__ == "__main__":
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    globals()[os.environ["LAB_FAULT"]]()
