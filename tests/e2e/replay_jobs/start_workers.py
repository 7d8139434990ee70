"""Starts the tasks of a TensorFlow job, as TF_CONFIG names them: start_workers.py ROLE=COUNT[,ROLE=COUNT...] SCRIPT [ARGUMENT...]"""

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
    roles = {role: int(count) for role, count in (part.split("=") for part in sys.argv[1].split(","))}
    addresses = iter(free_addresses(sum(roles.values())))
    cluster = {role: [next(addresses) for _ in range(count)] for role, count in roles.items()}
    tasks = [{"type": role, "index": index} for role, count in roles.items() for index in range(count)]
    processes = [subprocess.Popen([sys.executable, *sys.argv[2:]], env=os.environ | {
        "TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}) for task in tasks]
    return max(process.wait() for process in processes)


if __name__ == "__main__":
    sys.exit(main())
