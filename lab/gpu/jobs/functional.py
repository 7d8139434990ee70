"""What the lab's other PyTorch jobs do not do: functional and coalesced collectives, a compiled DDP model, bfloat16, and a
consumer on another stream that writes over a result as soon as it has waited for it."""

import os
import pathlib
import sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch import nn
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "jobs"))
import report

STEPS = int(os.environ.get("LAB_STEPS", "4"))
BACKEND = os.environ.get("LAB_BACKEND", "nccl")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE", "cuda") == "cuda" else "cpu")
NUDGE_AT = int(os.environ.get("NUDGE_AT", "-1"))  # a step before which a weight of rank 0 is changed
SIZE = 1 << 20


def functional_ones(state, world):
    group = dist.group.WORLD
    summed = functional.all_reduce(state, "sum", group)
    gathered = functional.all_gather_tensor(state, 0, group)
    scattered = functional.reduce_scatter_tensor(gathered, "sum", 0, group)
    many = functional.all_reduce_coalesced([state, state * 2], "sum", group)
    return summed / world + scattered / (2 * world) + many[0] / world - many[1] / (2 * world)


def coalesced(state):
    parts = [state.clone(), state * 3]
    with dist._coalescing_manager(device=DEVICE, async_ops=True) as batch:
        for part in parts:
            dist.all_reduce(part)
    batch.wait()
    return parts[0] - parts[1] / 3


def overwritten(state, side):
    """The sum is taken by another stream, which writes over it at once."""
    result = state.to(torch.bfloat16)
    work = dist.all_reduce(result, async_op=True)
    with torch.cuda.stream(side):
        work.wait()
        taken = result.float() * 0.5
        result.fill_(float("nan"))
    torch.cuda.current_stream().wait_stream(side)
    return taken


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND)
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(3)
    layers = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 1)).to(DEVICE)
    model = torch.compile(DistributedDataParallel(layers))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    generator = torch.Generator().manual_seed(rank)
    side = torch.cuda.Stream()
    state = torch.randn(SIZE, generator=generator).to(DEVICE)
    report.ready(rank, world)
    for step in range(STEPS):
        if step == NUDGE_AT and rank == 0:
            layers[0].weight.data.mul_(1.0001)
        inputs = torch.randn(32, 64, generator=generator).to(DEVICE)
        loss = (model(inputs) - inputs.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = torch.tanh(functional_ones(state, world) + coalesced(state) + overwritten(state, side))
        report.step(rank, step, loss.item() + state.sum().item())
    report.done(rank, [tensor.detach().cpu().numpy().tobytes() for tensor in [state, *layers.parameters()]])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
