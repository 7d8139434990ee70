"""Starts the workers of a TensorFlow job, as TF_CONFIG names them: start_workers.py COUNT SCRIPT [ARGUMENT...]"""

import contextlib
import json
import os
import socket
import subprocess
import sys


def free_addresses(count):
    with contextlib.ExitStack() as asked:
        sockets = [asked.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]


def main():
    count, command = int(sys.argv[1]), [sys.executable, *sys.argv[2:]]
    cluster = {"worker": free_addresses(count)}
    workers = [subprocess.Popen(command, env=os.environ | {"TF_CONFIG": json.dumps(
        {"cluster": cluster, "task": {"type": "worker", "index": index}})}) for index in range(count)]
    return max(worker.wait() for worker in workers)


if __name__ == "__main__":
    sys.exit(main())
