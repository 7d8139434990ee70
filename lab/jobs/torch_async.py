"""Functional collectives, futures and what is built on them, two threads on groups of their own, and receives from
anybody. Whoever comes first, the result is the same."""

from __future__ import annotations

import os
import threading

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
WIDTH = 12
# PyTorch 2.13 gave them other names.
GATHER = getattr(functional, "all_gather_single", None) or functional.all_gather_tensor
REDUCE_SCATTER = getattr(functional, "reduce_scatter_single", None) or functional.reduce_scatter_tensor


def by_functions(state: torch.Tensor, world: int) -> torch.Tensor:
    """Results that are waited for when they are first used."""
    total = functional.all_reduce(state, "sum", dist.group.WORLD)
    everybody = GATHER(state, 0, dist.group.WORLD)
    part = REDUCE_SCATTER(everybody, "sum", 0, dist.group.WORLD)
    swapped = functional.all_to_all_single(state, None, None, dist.group.WORLD)
    return total / world + part / world + swapped + everybody.view(world, -1).mean(0)


def by_futures(state: torch.Tensor) -> torch.Tensor:
    """What is done to a result before anybody waits for it, as DDP's communication hooks do."""
    first, second = state.clone(), state * 3
    halved = dist.all_reduce(first, async_op=True).get_future().then(lambda done: done.value()[0] / 2)
    shifted = dist.broadcast(second, src=1, async_op=True).get_future().then(lambda done: done.value()[0] + 1)
    return halved.wait() + shifted.wait()


def in_threads(state: torch.Tensor, groups: list[dist.ProcessGroup]) -> torch.Tensor:
    results = [state * (number + 1) for number in range(len(groups))]

    def reduce(result: torch.Tensor, group: dist.ProcessGroup) -> None:
        for _ in range(3):
            dist.all_reduce(result, group=group)
            result.tanh_()

    threads = [threading.Thread(target=reduce, args=both) for both in zip(results, groups)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results[0] - results[1]


def from_anybody(state: torch.Tensor, rank: int, world: int) -> torch.Tensor:
    """Rank 0 takes what comes and puts it where it belongs."""
    if rank != 0:
        dist.send(state, 0)
        return state
    received = torch.zeros(world, WIDTH)
    for _ in range(world - 1):
        message = torch.empty(WIDTH)
        received[dist.recv(message)] = message
    return received.sum(0)


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    groups = [dist.new_group(list(range(world))) for _ in range(2)]
    state = torch.randn(WIDTH, generator=torch.Generator().manual_seed(SEED * 1000 + rank))
    report.ready(rank, world)
    for step in range(STEPS):
        mixed = by_functions(state, world) + by_futures(state) + in_threads(state, groups)
        state = torch.tanh(mixed + from_anybody(state, rank, world))
        dist.monitored_barrier()
        report.step(rank, step, state.norm().item())

    everybody = [torch.empty_like(state) for _ in range(world)]
    dist.all_gather(everybody, state)
    report.done(rank, (one.numpy().tobytes() for one in everybody))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
