"""A script that submits itself: see clients/python."""

import os
import sys

import lockstep


@lockstep.train(workers=2)
def main():
    print(f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']} got {sys.argv[1]}")
    sys.exit(int(sys.argv[2]) * int(os.environ["RANK"]))


main()
