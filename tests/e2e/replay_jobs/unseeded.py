"""What a program does not determine: random bytes of the system, in the ways that programs take them, and a collective
that fails."""

import os
import random
import secrets
import sys
import uuid

import torch
import torch.distributed as dist


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    said = {"random": random.random(), "hash": hash("text"), "urandom": os.urandom(9).hex(),
            "token": secrets.token_hex(4), "uuid": uuid.uuid4().hex, "seed": torch.seed(),
            "normal": torch.randn(1).item().hex()}
    with open("/dev/urandom", "rb", buffering=0) as device:
        said["device"] = device.read(5).hex()
    try:
        dist.all_reduce(torch.zeros(4, dtype=torch.int16))  # which Gloo refuses
    except RuntimeError as error:
        said["error"] = str(error).splitlines()[0]
    shared = torch.randn(4)
    dist.all_reduce(shared)
    for name, value in {**said, "shared": shared.tolist()}.items():
        sys.stdout.write(f"rank={rank} {name}={value}\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
