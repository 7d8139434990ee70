"""Two ranks make every kind of call of horovod.tensorflow, eagerly and in a graph; horovod_recorder_test.py knows what must be
in the record."""

import os
import sys

import horovod.tensorflow as hvd
import tensorflow as tf

sys.path.insert(0, os.environ["LAB_JOBS"])

import report

second = hvd.ProcessSet([1])


@tf.function(autograph=False)
def in_a_graph(one, rank):
    """All of it depends on an input: TensorFlow computes what is constant but once."""
    values = [hvd.allreduce(tf.fill([2, 3], one), op=hvd.Sum, name="sums"),
              hvd.broadcast(tf.cast(tf.fill([5], one), tf.int64), root_rank=1, name="numbers"),
              hvd.allgather(tf.fill([1 + rank, 2], one), name="rows"),
              hvd.alltoall(tf.fill([4], one), name="shuffle"),
              hvd.reducescatter(tf.fill([4, 2], one), op=hvd.Sum, name="parts")]
    values += hvd.grouped_allreduce([tf.fill([2], one), tf.fill([3], one)], op=hvd.Average)
    return tf.add_n([tf.reduce_sum(tf.cast(value, tf.float32)) for value in values])


def main():
    hvd.init(process_sets=[second])
    rank = hvd.rank()
    report.ready(rank, hvd.size())
    for _ in range(2):
        in_a_graph(tf.constant(1.0), rank)
    hvd.allreduce(tf.ones([7]), op=hvd.Sum)
    hvd.broadcast_variables([tf.Variable(tf.ones([3]))], root_rank=0, inplace=True)
    if rank == 1:
        hvd.broadcast(tf.ones([3]), root_rank=1, process_set=second)
    hvd.join()
    report.done(rank, [b""])
    hvd.shutdown()


if __name__ == "__main__":
    main()
