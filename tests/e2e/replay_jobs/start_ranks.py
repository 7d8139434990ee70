"""Starts the ranks of a PyTorch job without a launcher: start_ranks.py COUNT SCRIPT [ARGUMENT...]"""

import os
import socket
import subprocess
import sys


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def main():
    count, command = int(sys.argv[1]), [sys.executable, *sys.argv[2:]]
    shared = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    ranks = [subprocess.Popen(command, env=os.environ | shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)})
             for rank in range(count)]
    return max(rank.wait() for rank in ranks)


if __name__ == "__main__":
    sys.exit(main())
