"""lab/run as a person meets it: wrong words, Ctrl-C, a full disk, no root, two runs at once."""

import os
import pathlib
import re
import select
import signal
import subprocess

import pytest

from harness import namespaces

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LAB_RUN = str(ROOT / "lab" / "run")


def lab_run(*arguments: str, **keywords) -> subprocess.CompletedProcess:
    return subprocess.run([LAB_RUN, *arguments], cwd=ROOT, text=True, capture_output=True, **keywords)


@pytest.mark.parametrize("arguments, complaint", [
    (["mpi_rin"], "did you mean mpi_ring?"),
    ([], "name a job"),
    (["mpi_ring", "--launcher", "torchrun"], "it runs under mpirun"),
    (["mpi_ring", "--rank", "2"], "unrecognized arguments: --rank 2"),
    (["mpi_ring", "--ranks", "many"], "not a number above 0"),
    (["mpi_ring", "--timeout", "0"], "not a number of seconds"),
    (["mpi_ring", "--fault", "kil:1@2"], "no fault is called 'kil'"),
    (["mpi_ring", "-o", "/proc/no"], "the run folder cannot be made"),
    (["mpi_ring", "-o", str(ROOT)], "is not empty"),
])
def test_wrong_words_are_refused(arguments, complaint):
    done = lab_run(*arguments)
    assert done.returncode == 2 and complaint in done.stderr, done.stderr
    assert done.stdout == ""


def test_list_and_help():
    assert "mpi_ring" in lab_run("--list").stdout
    usage = lab_run("--help").stdout
    assert "kill:RANK[@STEP]" in usage and "124 on timeout" in usage
    assert max(len(line) for line in usage.splitlines()) <= 80


def test_healthy_run_leaves_nothing_and_shows_its_output():
    runs = ROOT / "build" / "lab-runs"
    before = set(runs.iterdir()) if runs.exists() else set()
    done = lab_run("mpi_ring", "--steps", "3")
    assert done.returncode == 0, done.stderr
    assert "rank_2| lab rank=2 step=2 loss=" in done.stdout
    assert set(runs.iterdir()) <= before


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupt_ends_everything(number, status, tmp_path):
    run = subprocess.Popen([LAB_RUN, "mpi_ring", "--steps", "100000000", "-o", str(tmp_path / "run")],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ranks = []
    while len(ranks) < 3:
        if match := re.search(r"ready pid=(\d+)", run.stdout.readline()):
            ranks.append(os.pidfd_open(int(match[1])))
    run.send_signal(number)
    _, complaints = run.communicate(timeout=300)
    assert run.returncode == status and f"ended by {signal.Signals(number).name}" in complaints
    assert all(select.select([rank], [], [], 0)[0] for rank in ranks), "a rank is left"
    for rank in ranks:
        os.close(rank)


def test_full_disk_is_said(tmp_path):
    """The run folder lies on a file system that is full."""
    def on_small_disk():
        namespaces.unshare(namespaces.NEW_MOUNT)
        namespaces.make_mounts_private()
        namespaces.mount("tmpfs", str(tmp_path), "size=64k")
        with open(tmp_path / "fill", "wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
    done = lab_run("mpi_ring", "-o", str(tmp_path / "run"), preexec_fn=on_small_disk)
    assert done.returncode == 2, done.stderr
    assert "No space left on device" in done.stderr and "Traceback" not in done.stderr


def test_reader_that_leaves_is_no_error():
    done = subprocess.run(f"set -o pipefail; {LAB_RUN} mpi_ring --steps 2000 | head -n 1", shell=True,
                          executable="/bin/bash", capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert done.stdout.count("\n") == 1


def test_two_runs_at_once_do_not_meet(tmp_path):
    runs = [subprocess.Popen([LAB_RUN, "mpi_ring", "--steps", "50", "-q", "-o", str(tmp_path / str(n))],
                             stderr=subprocess.PIPE, text=True) for n in range(3)]
    for run in runs:
        _, complaints = run.communicate(timeout=300)
        assert run.returncode == 0, complaints


def test_hosts_without_root_say_so():
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    done = subprocess.run([*nobody, LAB_RUN, "mpi_ring", "--hosts", "3"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "needs root" in done.stderr and "without --hosts" in done.stderr, done.stderr


def test_missing_environment_names_the_remedy(tmp_path):
    done = lab_run("torch_ddp", env=os.environ | {"LOCKSTEP_LAB_CACHE": str(tmp_path)})
    assert done.returncode == 2 and "make lab-deps" in done.stderr, done.stderr
