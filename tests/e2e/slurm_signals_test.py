"""What Slurm sends before a time limit reaches the job under `lockstep run` as it does without: the checkpoint is saved, the job is
requeued and goes on from it. Slurm sends it up to a minute early, so this takes minutes."""

import re

import pytest

from recordings import LOCKSTEP
from service_client import wait_until
from slurmlab.cluster import Cluster

PATIENCE_S = 400

# As Lightning and most recipes have it: the handler saves, and asks for a requeue; what comes then ends it.
TRAINS = """
import os, pathlib, signal, subprocess, sys, time
place = pathlib.Path(sys.argv[1])
step = int(place.read_text()) if place.exists() else 0
print("begins at", step, flush=True)
def save(number, frame):
    place.write_text(str(step))
    print("saved at", step, flush=True)
    subprocess.run(["scontrol", "requeue", os.environ["SLURM_JOB_ID"]], check=True)
signal.signal(signal.SIGUSR1, save)
if step:
    print("finished", flush=True)
    sys.exit(0)
while True:
    step += 1
    time.sleep(0.1)
"""
SCRIPT = """#!/bin/sh
#SBATCH --requeue --open-mode=append --time=2 --signal=USR1@60 --nodes=1 --ntasks=1
#SBATCH --output={out}
exec srun {command}
"""


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path / "slurm", nodes=2) as made:
        yield made


def test_a_checkpoint_is_saved_before_the_time_limit(cluster, tmp_path):
    (tmp_path / "trains.py").write_text(TRAINS)
    said = {}
    for how, before in {"bare": "", "recorded": f"{LOCKSTEP} run --no-check -o {tmp_path}/recording.$SLURM_RESTART_COUNT -- "}.items():
        command = f"{before}/usr/bin/python3 -u {tmp_path}/trains.py {tmp_path}/{how}.checkpoint"
        if before:
            command = f"sh -c 'exec {command}'"
        (tmp_path / f"{how}.sh").write_text(SCRIPT.format(out=tmp_path / f"{how}.out", command=command))
        cluster.run(["sbatch", tmp_path / f"{how}.sh"])
        said[how] = lambda how=how: (tmp_path / f"{how}.out").read_text() if (tmp_path / f"{how}.out").exists() else ""
    wait_until(lambda: all("finished" in text() for text in said.values()), "both went on", PATIENCE_S)
    for how, text in said.items():
        story = [line for line in text().splitlines() if re.match("begins|saved|finished", line)]
        saved = int((tmp_path / f"{how}.checkpoint").read_text())
        assert saved > 0 and story == ["begins at 0", f"saved at {saved}", f"begins at {saved}", "finished"], (how, text())


def test_a_signal_to_a_step_reaches_the_job_once(cluster, tmp_path):
    """As `scancel --signal` and `--signal` alike send it: to every process of the step at once."""
    counts = ("import os, signal, sys, time\ncame = []\nsignal.signal(signal.SIGUSR1, lambda n, f: came.append(n))\n"
              "signal.signal(signal.SIGUSR2, lambda n, f: (print('came', len(came), flush=True), os._exit(7)))\n"
              "print('ready', flush=True)\nwhile True: time.sleep(0.05)\n")
    (tmp_path / "counts.py").write_text(counts)
    for how, before in (("bare", []), ("recorded", [LOCKSTEP, "run", "--no-check", "-o", tmp_path / "recording", "--"])):
        out = tmp_path / f"{how}.out"
        words = " ".join(map(str, [*before, "/usr/bin/python3", tmp_path / "counts.py"]))
        (tmp_path / f"{how}.sh").write_text(f"#!/bin/sh\n#SBATCH --output={out} --nodes=1 --ntasks=1\nsrun {words}\necho status $?\n")
        number = cluster.run(["sbatch", "--parsable", tmp_path / f"{how}.sh"]).strip()
        wait_until(lambda: out.exists() and "ready" in out.read_text(), "it runs", PATIENCE_S)
        cluster.run(["scancel", "--signal=USR1", number])
        cluster.run(["scancel", "--signal=USR2", number])
        wait_until(lambda: "status" in out.read_text(), "it has ended", PATIENCE_S)
        assert "came 1\n" in out.read_text() and "status 7" in out.read_text(), (how, out.read_text())
