"""Starts ranks that have no launcher of their own, as `srun --label` does.

    start_ranks.py RANKS.json

RANKS.json: [{"name": "rank_0", "argv": [...], "env": {...}}]. What a rank prints goes to rank_N.out and rank_N.err beside
that file, and to this program's own streams with the rank before each line. Unlike srun, it lets the others go on when one
fails; it ends with the status of the first that did, and hands SIGTERM and SIGINT on."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading


def main() -> int:
    path = pathlib.Path(sys.argv[1])
    ranks = json.loads(path.read_text())
    children = [start(rank) for rank in ranks]
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: [child.send_signal(number) for child in children])
    copiers = [threading.Thread(target=copy, args=(source, path.with_name(f"{rank['name']}.{stream}"), target, label_of(rank)))
               for rank, child in zip(ranks, children)
               for stream, source, target in (("out", child.stdout, sys.stdout.buffer), ("err", child.stderr, sys.stderr.buffer))]
    for copier in copiers:
        copier.start()
    failed = wait_for_all(children)
    for copier in copiers:
        copier.join()
    return failed


def start(rank: dict) -> subprocess.Popen:
    """The recorder's own variables come from this program's environment, the rest from the plan."""
    handed_on = {key: os.environ[key] for key in os.environ if key.startswith("LOCKSTEP_") or key == "LD_PRELOAD"}
    paths = [os.environ.get("PYTHONPATH", ""), rank["env"].get("PYTHONPATH", "")]
    environ = os.environ | rank["env"] | handed_on
    if any(paths):
        environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(part for path in paths for part in path.split(os.pathsep) if part))
    return subprocess.Popen(rank["argv"], env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_all(children: list[subprocess.Popen]) -> int:
    """The status of the first that failed, in the order of their ends."""
    by_pid = {child.pid: child for child in children}
    first = 0
    while by_pid:
        pid, status = os.wait()
        if by_pid.pop(pid, None):
            code = os.waitstatus_to_exitcode(status)
            first = first or (code if code >= 0 else 128 - code)
    for child in children:
        child.returncode = 0  # reaped above
    return first


def copy(source, path: pathlib.Path, target, label: bytes):
    with open(path, "ab", buffering=0) as file:
        for line in source:
            file.write(line)
            target.write(label + line)
            target.flush()


def label_of(rank: dict) -> bytes:
    return rank["name"].removeprefix("rank_").encode() + b": "


if __name__ == "__main__":
    sys.exit(main())
