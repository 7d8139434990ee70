"""One step of MultiWorkerMirroredStrategy; `ordinary`: a product that does not fit; `distributed`: another shape on
worker 1."""

import sys

import tensorflow as tf

fault = sys.argv[1]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id
print(f"rank {rank} of {strategy.num_replicas_in_sync}", flush=True)
width = 5 if fault == "distributed" and rank == 1 else 4


@tf.function
def step():
    def on_replica():
        outputs = tf.matmul(tf.ones([4, 16]), tf.ones([8 if fault == "ordinary" else 16, 1]))
        bucket = tf.ones([width]) * tf.reduce_sum(outputs)
        return tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, bucket)
    return strategy.run(on_replica)


step()
