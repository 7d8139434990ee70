"""TensorFlow jobs that break before their first step; LAB_FAULT names the function below that breaks this one."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import time

import tensorflow as tf

import report

SCRATCH = pathlib.Path(os.environ["TMPDIR"])
RANK = int(os.environ.get("LAB_RANK", "0"))


def join_job() -> tf.distribute.Strategy:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    report.ready(RANK, strategy.num_replicas_in_sync)
    return strategy


def compile_op(name: str, source: str) -> pathlib.Path:
    """A shared object as the guide for custom ops makes it."""
    code, library = SCRATCH / f"{name}_{RANK}.cc", SCRATCH / f"{name}_{RANK}.so"
    code.write_text(source)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", library, code], check=True)
    return library


def op_header() -> None:
    compile_op("fused_reduce", "#include <nccl.h>\nextern \"C\" int version() { return NCCL_MAJOR; }\n")


def op_symbol() -> None:
    source = "namespace tensorflow { int NumOpsOfOldRelease(int); }\nint count = tensorflow::NumOpsOfOldRelease(1);\n"
    tf.load_op_library(str(compile_op("fused_reduce", source)))


def port_taken() -> None:
    config = json.loads(os.environ["TF_CONFIG"])
    if RANK == 1:
        leftover = socket.create_server(("127.0.0.1", int(config["cluster"]["worker"][1].rpartition(":")[2])))
    join_job()


def task_index() -> None:
    config = json.loads(os.environ["TF_CONFIG"])
    config["task"]["index"] += 1  # counted from one
    os.environ["TF_CONFIG"] = json.dumps(config)
    join_job()


def rank_never_comes() -> None:
    if RANK == 1:
        time.sleep(60)
    join_job()


def weights_of_another_size() -> None:
    strategy = join_job()
    written = tf.train.Checkpoint(weights=tf.Variable(tf.ones([4, 16]))).write(str(SCRATCH / f"checkpoint_{RANK}"))
    with strategy.scope():
        weights = tf.Variable(tf.ones([4, 8]))
    tf.train.Checkpoint(weights=weights).restore(written).assert_consumed()


def record_truncated() -> None:
    path = SCRATCH / f"part_{RANK}.tfrecord"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(8):
            writer.write(b"sample" * 100)
    os.truncate(path, 2000)
    join_job()
    for _ in tf.data.TFRecordDataset(str(path)):
        pass


def variables_differ() -> None:
    with join_job().scope():
        tf.Variable(tf.ones([4 + RANK]))


def one_rank_makes_variables() -> None:
    strategy = join_job()
    if RANK == 1:
        time.sleep(60)  # it still reads its data set
    with strategy.scope():
        tf.Variable(tf.ones([4]))


def no_gpu() -> None:
    tf.config.set_soft_device_placement(False)
    join_job()
    with tf.device("/GPU:0"):
        tf.Variable(tf.ones([4, 4])).assign_add(tf.ones([4, 4]))


def iterator_ends_early() -> None:
    strategy = join_job()
    batches = iter(tf.data.Dataset.range(4 - 2 * RANK))
    with strategy.scope():
        weights = tf.Variable(1.0)

    @tf.function
    def step():
        batch = batches.get_next()
        strategy.run(lambda: tf.distribute.get_replica_context().all_reduce(
            "sum", tf.cast(batch, tf.float32) * weights))
    for _ in range(4):
        step()


def files_for_shards() -> None:
    strategy = join_job()
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
    samples = tf.data.Dataset.from_tensor_slices(tf.ones([8, 4])).batch(2).with_options(options)
    next(iter(strategy.experimental_distribute_dataset(samples)))


def wrong_argument() -> None:
    import argparse

    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--epochs", type=int, default=1)
    parser.parse_args(["--epochs", "two"])


def log_folder_forbidden() -> None:
    join_job()
    tf.summary.create_file_writer("/proc/1/events").init()


if __name__ == "__main__":
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    globals()[os.environ["LAB_FAULT"]]()
