"""ParameterServerStrategy with functions under way on two workers at once: who updates the weights first is chance. Some results are
wanted by nobody."""

import hashlib
import os

import tensorflow as tf
from tf_parameter_server import serve

FUNCTIONS = 24

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def coordinate(resolver):
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weights = tf.Variable(tf.ones([64, 64]))

    @tf.function
    def update(number):
        inputs = tf.random.stateless_normal([64, 64], [1, number])
        weights.assign(tf.math.tanh(weights @ inputs))
        return {"norm": tf.norm(weights), "number": number}

    louder = int(os.environ.get("LOUDER", "-1"))
    results = [coordinator.schedule(update, args=(tf.constant(number + 100 * (number == louder)),)) for number in range(FUNCTIONS)]
    for unwanted in range(0, FUNCTIONS, 3):
        results[unwanted] = None
    coordinator.join()
    for number, result in enumerate(results):
        if result is not None:
            fetched = result.fetch()
            print(f"lab rank=0 function={number} norm={fetched['norm'].tobytes().hex()} number={fetched['number']}", flush=True)
    print(f"lab rank=0 weights={hashlib.sha256(weights.numpy().tobytes()).hexdigest()} doubled={float(tf.reduce_sum(weights * 2.0))}", flush=True)


if __name__ == "__main__":
    cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    (coordinate if cluster.task_type == "chief" else serve)(cluster)
