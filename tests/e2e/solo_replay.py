"""One rank of a recording, run again alone."""

import subprocess

from recordings import LOCKSTEP

WITHOUT_A_NETWORK = ("unshare", "--map-root-user", "--net")


def replay(folder, rank, *more, limit_s, under=(), status=0, **options):
    said = subprocess.run([*under, LOCKSTEP, "replay", folder, "--rank", str(rank), *more], capture_output=True,
                          text=True, timeout=limit_s, **options)
    assert said.returncode == status, said.stdout + said.stderr
    return said
