"""Rank 1 ends with an exception of its own; the others work on."""

import os
import sys
import time

rank = int(os.environ["RANK"])
print(f"rank {rank} begins", flush=True)
if rank == 1:
    raise ValueError("the learning rate must be positive")
time.sleep(600)
sys.exit(0)
