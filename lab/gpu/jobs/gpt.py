"""A GPT of 124 million parameters under DDP, alone in its world, so that nothing but the work itself takes time. Prints the
milliseconds of each step, without the first ones."""

import json
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

LAYERS, HEADS, WIDTH, WORDS, LENGTH = 12, 12, 768, 50304, 1024
BATCH = int(os.environ.get("GPT_BATCH", "24"))
STEPS = int(os.environ.get("GPT_STEPS", "24"))
FIRST = 6


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attend, self.project = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        count, length, _ = x.shape
        heads = [part.view(count, length, HEADS, WIDTH // HEADS).transpose(1, 2) for part in self.attend(self.before(x)).chunk(3, -1)]
        seen = functional.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.project(seen.transpose(1, 2).reshape(count, length, WIDTH))
        return x + self.narrow(functional.gelu(self.widen(self.between(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.end = nn.LayerNorm(WIDTH)

    def forward(self, tokens):
        x = self.words(tokens) + self.places.weight
        for block in self.blocks:
            x = block(x)
        return self.end(x) @ self.words.weight.T


def main():
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    torch.manual_seed(1)
    layers = Gpt().cuda()
    model = DistributedDataParallel(layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = torch.randint(WORDS, (BATCH, LENGTH), device="cuda")
    times = []
    for _ in range(STEPS):
        torch.cuda.synchronize()
        began = time.perf_counter()
        with torch.autocast("cuda", torch.bfloat16):
            loss = functional.cross_entropy(model(tokens).view(-1, WORDS), tokens.view(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - began))
    print(json.dumps({"parameters": sum(p.numel() for p in layers.parameters()), "ms": times[FIRST:]}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
