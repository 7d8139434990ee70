"""Recordings of jobs: the environment that makes one, what Lockstep says of it, and what is in it."""

import json
import os
import pathlib
import subprocess

from harness.registry import REPOSITORY, python_of

BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", REPOSITORY / "build/release"))
LOCKSTEP = BUILD / "lockstep"
PYTHON_ADAPTERS = REPOSITORY / "adapters/python"
MPI_ADAPTER = {"LD_PRELOAD": str(BUILD / "adapters/mpi/liblockstep_mpi.so")}


def recorder(folder, **more):
    """For frameworks that Python starts; an MPI program needs MPI_ADAPTER beside it."""
    return {"LOCKSTEP_RECORD": str(folder), "LOCKSTEP_LIBRARY": str(BUILD / "recorder/liblockstep.so"),
            "PYTHONPATH": str(PYTHON_ADAPTERS)} | more


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def name_of(rank):
    return f"rank_{rank:05}.restart_0.lockstep"


def records_of(folder, rank):
    said = subprocess.run([LOCKSTEP, "dump", "--json", str(folder / name_of(rank))], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout[-2000:] + said.stderr
    return [json.loads(line) for line in said.stdout.splitlines()]


def attribute(records, key):
    return [record["value"] for record in records if record["record"] == "attribute" and record["key"] == key]


def steps_of(folder):
    """How many steps every rank of a job that runs has ended, as far as its ranks are known."""
    shown = subprocess.run([LOCKSTEP, "top", "--json", folder], capture_output=True, text=True)
    return min((rank["steps"] for rank in json.loads(shown.stdout)["ranks"]), default=0) if shown.stdout else 0


def sums_of(records, side, operation):
    """Checksums of what calls were given ("input") or gave back ("output"), by communicator and number."""
    return {(record["communicator"], record["sequence"]): record[side] for record in records
            if record["record"] == "checksum" and record["operation"] == operation and side in record}


def diagnose(*paths):
    said = subprocess.run([LOCKSTEP, "diagnose", "--json", *map(str, paths)], capture_output=True, text=True)
    assert said.returncode in (0, 1), said.stderr
    verdict = json.loads(said.stdout)
    assert said.returncode == (1 if verdict["findings"] else 0)
    return verdict


def python_with_native_half(env="torch"):
    """The PyTorch of an environment of the lab, with its half of the adapter built."""
    python = pathlib.Path(python_of(env))
    built = subprocess.run([python, "-m", "lockstep_torch.build"], capture_output=True, text=True,
                           env=os.environ | {"PYTHONPATH": str(PYTHON_ADAPTERS)})
    assert built.returncode == 0, built.stderr
    return python
