"""One rank of tests/bench/tensorflow_overhead: blocks of steps, with the adapter and without it in turns."""

import json
import sys

import tensorflow as tf
from tensorflow.python.profiler import trace

from overhead import figures_of, measured_block, time_of

WHAT, BLOCKS = sys.argv[1], int(sys.argv[2])
LARGE_S = 0.1
BLOCK_S = 0.03  # short blocks: neighbours see the same machine


def plain_enter(self):
    return self


def plain_exit(self, kind, value, traceback):
    if self._traceme:
        self._traceme.Stop()


def switches():
    """On and off: the hooks in the executor, and the word of a function that a step has ended."""
    from lockstep_tensorflow import rank_start
    native = rank_start._session.native
    assert native is not None, "there is no native half to measure"
    told = trace.Trace.__enter__, trace.Trace.__exit__

    def on():
        native.install()
        trace.Trace.__enter__, trace.Trace.__exit__ = told

    def off():
        native.remove()
        trace.Trace.__enter__, trace.Trace.__exit__ = plain_enter, plain_exit

    return on, off


def reducing_step(strategy, rows):
    weights = tf.random.stateless_normal([512, 512], [1, 1])

    def on_replica():
        loss = tf.reduce_mean(tf.random.stateless_normal([rows, 512], [1, 2]) @ weights) if rows else tf.constant(1.0)
        return tf.distribute.get_replica_context().all_reduce("sum", loss)

    return tf.function(lambda: strategy.run(on_replica))


def agreed(strategy, number):
    """What rank 0 says."""
    own = float(number if strategy.cluster_resolver.task_id == 0 else 0)
    return int(strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", tf.constant(own))))


def large_step(strategy):
    rows = 4096
    for _ in range(2):
        step = reducing_step(strategy, rows)
        time_of(step, 2)
        rows = max(16, agreed(strategy, rows * LARGE_S / (time_of(step, 3) / 3)))
    return reducing_step(strategy, rows)


def main():
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    step = reducing_step(strategy, 0) if WHAT == "small" else large_step(strategy)
    time_of(step, 5)
    blocks = max(20, BLOCKS // 5) if WHAT == "large" else BLOCKS
    on, off = switches()
    count = agreed(strategy, max(1, BLOCK_S / (time_of(step, 5) / 5)))
    pairs = []  # (with, without) of neighbouring blocks
    for pair in range(blocks // 2):
        measured = {}
        for is_on in ((True, False), (False, True))[pair % 2]:
            (on if is_on else off)()
            step()
            measured[is_on] = measured_block(step, count)
        pairs.append((measured[True], measured[False]))
    if strategy.cluster_resolver.task_id == 0:
        print(json.dumps(figures_of(pairs, count)))


if __name__ == "__main__":
    main()
