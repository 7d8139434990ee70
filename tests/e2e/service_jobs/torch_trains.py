"""Training as people write it: batches from a loader with a worker of its own, a checkpoint after each epoch, and on from there.

usage: torch_trains.py WHERE_RANKS_MEET EPOCHS|FILE_THAT_ENDS_IT
"""

from __future__ import annotations

import os
import pathlib
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "lab/jobs"))

import report

BATCH, WIDTH = 4, 1 << 16  # a batch has a megabyte


class Samples(Dataset):
    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __len__(self) -> int:
        return 2 * BATCH

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.randn(WIDTH, generator=torch.Generator().manual_seed(self.rank * len(self) + index))


def is_enough(epochs: int) -> bool:
    """Rank 0 decides for all."""
    enough = epochs >= int(sys.argv[2]) if sys.argv[2].isdigit() else os.path.exists(sys.argv[2])
    said = torch.tensor([int(enough)])
    dist.broadcast(said, src=0)
    return bool(said.item())


def main() -> None:
    torch.set_num_threads(1)
    print("meets", flush=True)
    dist.init_process_group("gloo", init_method=sys.argv[1], rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    rank = dist.get_rank()
    torch.manual_seed(1)
    model = DistributedDataParallel(nn.Linear(WIDTH, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
    saved = pathlib.Path(os.environ["LOCKSTEP_CHECKPOINT_DIR"]) / "last.pt" if "LOCKSTEP_CHECKPOINT_DIR" in os.environ else None
    epochs = 0
    if saved and saved.exists():
        state = torch.load(saved, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        epochs = state["epochs"]
        report.say(f"lab rank={rank} goes on from epoch {epochs}")

    report.ready(rank, dist.get_world_size())
    while not is_enough(epochs):
        for batch in DataLoader(Samples(rank), batch_size=BATCH, num_workers=1):
            optimizer.zero_grad()
            loss = (model(batch) - batch.mean(dim=1, keepdim=True)).square().mean()
            loss.backward()
            optimizer.step()
        report.step(rank, epochs, loss.item())
        epochs += 1
        if saved and rank == 0:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epochs": epochs}, f"{saved}.new")
            os.replace(f"{saved}.new", saved)
    report.done(rank, (parameter.detach().numpy().tobytes() for parameter in model.parameters()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
