"""Keras 3 model.fit on the torch backend; the step reduces gradients over all ranks. Needs KERAS_BACKEND=torch."""

from __future__ import annotations

import os
import time

import keras
import numpy as np
import torch
import torch.distributed as dist

import report

SEED = int(os.environ.get("LAB_SEED", "1"))
STEPS = int(os.environ.get("LAB_STEPS", "8"))
EPOCHS = int(os.environ.get("LAB_EPOCHS", "1"))
FAULT, _, _where = os.environ.get("LAB_FAULT", "").partition(":")  # "missing:1@5": rank 1 before step 5; "shape": from its start
FAULTY_RANK, FAULTY_STEP = (int(number) for number in (_where or "-1@-1").split("@"))
BATCH = 32


class AveragedModel(keras.Sequential):
    def train_step(self, data: tuple[torch.Tensor, torch.Tensor]) -> dict:
        inputs, targets = data
        self.zero_grad()
        loss = self.compute_loss(x=inputs, y=targets, y_pred=self(inputs, training=True))
        loss.backward()
        gradients = [variable.value.grad for variable in self.trainable_weights]
        for gradient in gradients:
            dist.all_reduce(gradient)
        with torch.no_grad():
            self.optimizer.apply([gradient / dist.get_world_size() for gradient in gradients], self.trainable_weights)
        return {"loss": loss.detach()}


class ReportSteps(keras.callbacks.Callback):
    def __init__(self, rank: int) -> None:
        super().__init__()
        self.rank = rank
        self.step = 0

    def on_train_batch_begin(self, batch: int, logs: dict | None = None) -> None:
        if FAULT != "shape" and (self.rank, self.step) == (FAULTY_RANK, FAULTY_STEP):
            report.fault(self.rank, FAULT)
            if FAULT == "missing":
                time.sleep(3600)
            self.model.stop_training = FAULT == "leave"

    def on_train_batch_end(self, batch: int, logs: dict) -> None:
        report.step(self.rank, self.step, float(logs["loss"]))
        self.step += 1


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    keras.utils.set_random_seed(SEED)
    is_wider = FAULT == "shape" and rank == FAULTY_RANK
    if is_wider:
        report.fault(rank, FAULT)
    model = AveragedModel([keras.Input((16,)), keras.layers.Dense(64 if is_wider else 32, "tanh"), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(0.05), loss="mse")
    inputs = np.random.default_rng(SEED * 1000 + rank).normal(size=(STEPS * BATCH, 16)).astype("float32")
    report.ready(rank, dist.get_world_size())
    model.fit(inputs, inputs.sum(axis=1, keepdims=True), batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0,
              callbacks=[ReportSteps(rank)])
    report.done(rank, (weights.tobytes() for weights in model.get_weights()))
    time.sleep(0.5)  # Keras' device scope is a Python object of the last Work: PyTorch 2.13 joins Gloo's thread, which frees it, under the GIL
    if FAULT != "leave":  # else it ends without a word to the others
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
