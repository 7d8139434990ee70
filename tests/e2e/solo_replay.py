"""Ranks of a recording, run again alone."""

import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess

from recordings import LOCKSTEP

WITHOUT_A_NETWORK = ("unshare", "--map-root-user", "--net")
AT_ONCE = 2


def replay(folder, rank, *more, limit_s, under=(), status=0, **options):
    said = subprocess.run([*under, LOCKSTEP, "replay", folder, "--rank", str(rank), *more], capture_output=True,
                          text=True, timeout=limit_s, **options)
    assert said.returncode == status, said.stdout + said.stderr
    return said


def replay_each(folder, ranks, **options):
    """Alone each of them, for all that they know."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda rank: replay(folder, rank, **options), ranks))


def stand_still_once(folder, rank, *flags, limit_s):
    """Lets a replay that stops at a breakpoint go on: what the kernel said of the stopped process, and what was printed."""
    command = [LOCKSTEP, "replay", folder, "--rank", str(rank), *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        stopped = next(filter(None, (re.search(r"kill -CONT (\d+)", line) for line in process.stderr)))
        state = pathlib.Path(f"/proc/{stopped[1]}/status").read_text()
        os.kill(int(stopped[1]), signal.SIGCONT)
        out, err = process.communicate(timeout=limit_s)
    assert process.returncode == 0, out + err
    return state, out, err
