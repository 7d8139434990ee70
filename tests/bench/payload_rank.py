"""One rank of tests/bench/payload_bench: DDP with 50 MB of gradients a step.

    payload_rank.py cost BLOCKS     steps with payload and without in turns; rank 0 prints the figures as JSON
    payload_rank.py steps COUNT     so many steps; prints the median of how long one takes
"""

import json
import statistics
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from overhead import figures_of, measured_block, time_of
from torch_overhead_rank import switches

WIDTH = 2500  # two layers of 2,500 x 2,500 numbers of 4 bytes
ROWS = 512
STEPS_A_BLOCK = 2


def ddp_step():
    model = DistributedDataParallel(nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs = torch.randn(ROWS, WIDTH, generator=torch.Generator().manual_seed(dist.get_rank()))

    def step():
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()

    return step


def measure_cost(step, blocks):
    on, off = switches()
    pairs = []
    for pair in range(blocks // 2):
        measured = {}
        for is_on in ((True, False), (False, True))[pair % 2]:
            dist.barrier()
            (on if is_on else off)()
            dist.barrier()
            measured[is_on] = measured_block(step, STEPS_A_BLOCK)
        pairs.append((measured[True], measured[False]))
    on()
    if dist.get_rank() == 0:
        print(json.dumps(figures_of(pairs, STEPS_A_BLOCK)))


def main():
    what, count = sys.argv[1], int(sys.argv[2])
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    step = ddp_step()
    time_of(step, 2)
    dist.barrier()
    if what == "cost":
        measure_cost(step, count)
    else:
        times = [measured_block(step, 1) for _ in range(count)]
        print(f"rank={dist.get_rank()}", *(f"{clock}={statistics.median(time[clock] for time in times):.6f}"
                                           for clock in ("wall", "cpu")))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
