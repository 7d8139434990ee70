import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id


@tf.function
def sum_over_ranks() -> tf.Tensor:
    per_rank = strategy.run(lambda: tf.constant(float(rank + 1)))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_rank, axis=None)


total = float(sum_over_ranks())
assert total == 3.0, total
print("tensorflow", tf.__version__, "rank", rank, "sum", total)
