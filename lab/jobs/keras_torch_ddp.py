"""A Keras 3 model on the torch backend, trained with DistributedDataParallel. Needs KERAS_BACKEND=torch."""

from __future__ import annotations

import os
import time

import keras
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
BACKEND = os.environ.get("LAB_BACKEND", "gloo")
DEVICE = torch.device("cuda:0" if os.environ.get("LAB_DEVICE") == "cuda" else "cpu")


def main() -> None:
    torch.set_num_threads(1)
    if DEVICE.type == "cuda":
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(BACKEND)
    rank = dist.get_rank()

    keras.utils.set_random_seed(SEED)
    layers = keras.Sequential([keras.layers.Dense(32, activation="tanh"), keras.layers.Dense(1)])
    layers.build((None, 16))
    model = DistributedDataParallel(layers.to(DEVICE))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    generator = torch.Generator().manual_seed(SEED * 1000 + rank)

    report.ready(rank, dist.get_world_size())
    for step in range(STEPS):
        inputs = torch.randn(32, 16, generator=generator).to(DEVICE)
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        loss.backward()
        optimizer.step()
        report.step(rank, step, loss.item())

    dist.barrier()
    report.done(rank, (weights.tobytes() for weights in layers.get_weights()))
    time.sleep(0.5)  # Keras' device scope is a Python object of the last Work: PyTorch 2.13 joins Gloo's thread, which frees it, under the GIL
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
