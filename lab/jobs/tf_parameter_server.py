"""ParameterServerStrategy: the chief coordinates, workers compute, parameter servers hold the variables.

Only the chief sees losses and parameters. Workers and parameter servers serve until the chief is gone.
"""

from __future__ import annotations

import os
import socket
import time

import tensorflow as tf

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
ROLES = ("chief", "worker", "ps")

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def rank_and_world(resolver: tf.distribute.cluster_resolver.ClusterResolver) -> tuple[int, int]:
    spec = resolver.cluster_spec()
    tasks = [(role, task) for role in ROLES for task in spec.task_indices(role)]
    return tasks.index((resolver.task_type, resolver.task_id)), len(tasks)


def wait_until_gone(address: str) -> None:
    """Follows a connection to the chief's own server until no new one can be made."""
    host, _, port = address.rpartition(":")
    while True:
        try:
            with socket.create_connection((host, int(port))) as connection:
                while connection.recv(4096):
                    pass
        except OSError:
            return


def wait_until_listening(address: str) -> None:
    host, _, port = address.rpartition(":")
    while True:
        try:
            socket.create_connection((host, int(port))).close()
            return
        except OSError:
            time.sleep(0.05)


def serve(resolver: tf.distribute.cluster_resolver.ClusterResolver) -> None:
    rank, world = rank_and_world(resolver)
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc", start=True
    )
    report.ready(rank, world)
    chief = resolver.cluster_spec().task_address("chief", 0)
    wait_until_listening(chief)
    wait_until_gone(chief)
    del server
    report.done(rank, [])


def coordinate(resolver: tf.distribute.cluster_resolver.ClusterResolver) -> None:
    rank, world = rank_and_world(resolver)
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weights = tf.Variable(tf.random.stateless_normal([16, 1], [SEED, 1]))

    @tf.function
    def train_step(step: tf.Tensor) -> tf.Tensor:
        inputs = tf.random.stateless_normal([32, 16], [SEED * 1000, step])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(inputs @ weights - tf.reduce_sum(inputs, axis=1, keepdims=True)))
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    report.ready(rank, world)
    for step in range(STEPS):
        loss = coordinator.schedule(train_step, args=(tf.constant(step),))
        report.step(rank, step, float(loss.fetch()))
    coordinator.join()
    report.done(rank, [weights.numpy().tobytes()])


def main() -> None:
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type == "chief":
        coordinate(resolver)
    else:
        serve(resolver)


if __name__ == "__main__":
    main()
