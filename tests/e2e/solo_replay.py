"""Ranks of a recording, run again alone."""

import concurrent.futures
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
