"""One rank of tests/bench/torch_overhead: blocks of steps, with the adapter and without it in turns."""

import json
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from overhead import figures_of, measured_block, time_of

WHAT, BLOCKS = sys.argv[1], int(sys.argv[2])
LARGE_S = 0.1
BLOCK_S = 0.03  # short blocks: neighbours see the same machine


def switches():
    """On and off: the kernel in the dispatcher, and the word of the optimizer that a step has ended."""
    from lockstep_torch import rank_start
    native = rank_start.session().native
    assert native is not None, "there is no native half to measure"
    optimizer = torch.optim.Optimizer
    told, plain = optimizer._optimizer_step_code, lambda self: None

    def on():
        native.install()
        optimizer._optimizer_step_code = told

    def off():
        native.uninstall()
        optimizer._optimizer_step_code = plain

    return on, off


def reduce_once():
    tensor = torch.ones(4)
    return lambda: dist.all_reduce(tensor)


def step_word():
    """What every optimizer calls when it has stepped."""
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.01)
    return lambda: optimizer._optimizer_step_code()


def ddp_step(width, rows):
    model = DistributedDataParallel(nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs = torch.randn(rows, width)

    def step():
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()

    return step


def large_step():
    """As many rows as make a step of about LARGE_S; rank 0 decides."""
    rows = torch.tensor([256])
    for _ in range(2):
        step = ddp_step(1024, int(rows))
        time_of(step, 2)
        rows = (rows * max(LARGE_S / time_of(step, 3) * 3, 0.1)).long().clamp(min=16)
        dist.broadcast(rows, src=0)
    return ddp_step(1024, int(rows))


def agreed_count(step):
    count = torch.tensor([max(1, int(BLOCK_S / (time_of(step, 5) / 5)))])
    dist.broadcast(count, src=0)
    return int(count)


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    step = {"call": reduce_once, "word": step_word, "small": lambda: ddp_step(64, 64), "large": large_step}[WHAT]()
    time_of(step, 5)
    blocks = max(20, BLOCKS // 5) if WHAT == "large" else BLOCKS
    on, off = switches()
    count = agreed_count(step)
    times = []  # (with, without) of neighbouring blocks
    for pair in range(blocks // 2):
        measured = {}
        for is_on in ((True, False), (False, True))[pair % 2]:
            dist.barrier()
            (on if is_on else off)()
            dist.barrier()
            step()
            measured[is_on] = measured_block(step, count)
        times.append((measured[True], measured[False]))
    if dist.get_rank() == 0:
        print(json.dumps(figures_of(times, count)))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
