"""The shortest job that needs every task of the cluster: one all-reduce of MultiWorkerMirroredStrategy."""

import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
context = tf.distribute.get_replica_context


@tf.function
def total():
    return strategy.run(lambda: context().all_reduce(tf.distribute.ReduceOp.SUM, tf.constant(1.0)))


assert strategy.num_replicas_in_sync > 1, "every task is alone"
assert float(total()) == strategy.num_replicas_in_sync
print("lab done", flush=True)
