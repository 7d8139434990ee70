"""A job without a framework: every rank prints numbered lines and says in a file that it ran."""

import os
import pathlib
import sys
import time

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
lines, pause_s = int(sys.argv[1]), float(sys.argv[2])
with open(pathlib.Path(sys.argv[3]) / "ran", "a") as ran:
    ran.write(f"{os.environ['LOCKSTEP_JOB']} {rank}\n")
for line in range(lines):
    print(f"rank {rank} of {world} line {line}")
    time.sleep(pause_s)
