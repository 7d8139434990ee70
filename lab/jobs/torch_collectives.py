"""Every kind of collective and point-to-point call, on the whole job, on sub-groups, and asynchronously."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BACKEND = os.environ.get("LAB_BACKEND", "gloo")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE") == "cuda" else "cpu")
WIDTH = 16


def reductions(state: torch.Tensor, rank: int) -> torch.Tensor:
    mean, largest, rooted, first = state.clone(), state.clone(), state.clone(), state.clone()
    dist.all_reduce(mean)
    dist.all_reduce(largest, op=dist.ReduceOp.MAX)
    dist.reduce(rooted, dst=0)
    dist.broadcast(first, src=1)
    return mean / dist.get_world_size() + 0.1 * largest + 0.1 * first + (0.1 * rooted if rank == 0 else 0.0)


def exchanges(state: torch.Tensor, rank: int, world: int) -> torch.Tensor:
    parts = list(state.chunk(world))
    gathered = [torch.empty_like(state) for _ in range(world)]
    dist.all_gather(gathered, state)
    flat = torch.empty(world * WIDTH, device=DEVICE)
    dist.all_gather_into_tensor(flat, state)
    dist.gather(state, [torch.empty_like(state) for _ in range(world)] if rank == 0 else None, dst=0)
    scattered = torch.empty_like(parts[0])
    dist.scatter(scattered, parts if rank == 0 else None, src=0)
    reduced = torch.empty_like(parts[0])
    dist.reduce_scatter(reduced, parts)
    reduced_flat = torch.empty_like(parts[0])
    dist.reduce_scatter_tensor(reduced_flat, state)
    swapped = torch.empty_like(state)
    dist.all_to_all_single(swapped, state)
    return swapped + flat.view(world, WIDTH).mean(0) + (scattered + reduced + reduced_flat).repeat(world) / world


def neighbours(state: torch.Tensor, rank: int, world: int) -> torch.Tensor:
    """A ring by one batch of point-to-point calls, then a blocking exchange within pairs of ranks."""
    left, received = (rank - 1) % world, torch.empty_like(state)
    ring = [dist.P2POp(dist.isend, state, (rank + 1) % world), dist.P2POp(dist.irecv, received, left)]
    for work in dist.batch_isend_irecv(ring):
        work.wait()
    answer = torch.empty_like(state)
    if rank % 2 == 0:
        dist.send(received, rank + 1)
        dist.recv(answer, rank + 1)
    else:
        dist.recv(answer, rank - 1)
        dist.send(received, rank - 1)
    return received + answer


def in_sub_group(state: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
    first, second = state.clone(), state * 2
    works = [dist.all_reduce(tensor, group=group, async_op=True) for tensor in (first, second)]
    for work in works:
        work.wait()
    return first + second


def main() -> None:
    torch.set_num_threads(1)
    if DEVICE.type == "cuda":
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND)
    rank, world = dist.get_rank(), dist.get_world_size()
    halves = [dist.new_group(list(range(parity, world, 2))) for parity in range(2)]

    state = torch.randn(WIDTH, generator=torch.Generator().manual_seed(SEED * 1000 + rank)).to(DEVICE)
    report.ready(rank, world)
    for step in range(STEPS):
        mixed = reductions(state, rank) + exchanges(state, rank, world) + neighbours(state, rank, world)
        state = torch.tanh(mixed + in_sub_group(state, halves[rank % 2]))
        norms: list[float] = [0.0] * world
        dist.all_gather_object(norms, state.norm().item())
        plan = [sum(norms)] if rank == 0 else [None]
        dist.broadcast_object_list(plan, src=0)
        dist.barrier()
        report.step(rank, step, plan[0])

    report.done(rank, [state.cpu().numpy().tobytes()])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
