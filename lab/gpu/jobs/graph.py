"""A collective captured into a CUDA graph, launched in every step: nobody sees the launches."""

import os
import pathlib
import sys

import torch
import torch.distributed as dist

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "jobs"))
import report

STEPS = int(os.environ.get("LAB_STEPS", "4"))


def main():
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    state = torch.full((1024,), rank + 1.0, device="cuda")
    dist.all_reduce(state.clone())
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    report.ready(rank, world)
    with torch.cuda.graph(graph):
        dist.all_reduce(state)
        state /= world
    for step in range(STEPS):
        graph.replay()
        report.step(rank, step, state.sum().item())
    report.done(rank, [state.cpu().numpy().tobytes()])
    del graph
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
