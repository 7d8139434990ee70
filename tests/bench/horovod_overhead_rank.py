"""The one rank of tests/bench/horovod_overhead: blocks of operations, with Horovod's table of handles watched and plain in turns."""

import json
import statistics
import sys
import time

import horovod.torch as hvd
import torch
from horovod.torch import mpi_ops

BLOCKS = int(sys.argv[1])
TENSORS = 64  # queued together, as the gradients of a step are


def step_of(tensors):
    for handle in [hvd.allreduce_async_(tensor, name=name) for name, tensor in tensors]:
        hvd.synchronize(handle)


def block(tensors, handles):
    """Seconds of this thread for one operation; Horovod's own thread is not counted."""
    mpi_ops._handle_map = handles
    step_of(tensors)
    begin = time.thread_time()
    for _ in range(5):
        step_of(tensors)
    return (time.thread_time() - begin) / (5 * len(tensors))


def main():
    torch.set_num_threads(1)
    hvd.init()
    watched = mpi_ops._handle_map
    assert type(watched).__name__ == "WatchedHandles", "the adapter is not there"
    tensors = [(f"tensor_{number}", torch.ones(16)) for number in range(TENSORS)]
    times = []
    for pair in range(BLOCKS):
        order = ((True, watched), (False, {}))[::1 if pair % 2 else -1]
        measured = {is_on: block(tensors, handles) for is_on, handles in order}
        times.append((measured[True], measured[False]))
    added = sorted(1e6 * (on - off) for on, off in times)
    tenth = len(added) // 10
    print(json.dumps({"off_us": 1e6 * statistics.median(off for _, off in times),
                      "added_us": statistics.fmean(added[tenth:len(added) - tenth]),
                      "quarter_us": added[len(added) // 4], "three_quarters_us": added[3 * len(added) // 4]}))


if __name__ == "__main__":
    main()
