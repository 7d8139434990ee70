"""A run's TMPDIR: short, because Unix socket names below it have 108 bytes; gone after the run."""

import os
import pathlib
import re
import shutil
import tempfile


def make_scratch() -> pathlib.Path:
    _sweep_stale()
    return pathlib.Path(tempfile.mkdtemp(prefix=f"lockstep-lab-{os.getpid()}-", dir="/tmp"))


def _sweep_stale():
    """Folders of runs that were killed together with their keeper; the name carries the owner."""
    for path in pathlib.Path("/tmp").glob("lockstep-lab-*"):
        match = re.match(r"lockstep-lab-(\d+)-", path.name)
        if match and not os.path.exists(f"/proc/{match[1]}"):
            shutil.rmtree(path, ignore_errors=True)
