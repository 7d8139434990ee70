"""`lockstep isolate` on real jobs: an ordinary fault remains with one rank, a distributed one is gone."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.ports import PortClaims
from harness.registry import python_of
from recordings import LOCKSTEP

JOBS = pathlib.Path(__file__).with_name("isolate_jobs")
ALONE = {name: value for name, value in os.environ.items()
         if not name.startswith(("OMPI_", "HOROVOD_", "SLURM_", "PET_")) and name not in ("RANK", "WORLD_SIZE", "TF_CONFIG")}
ALONE |= {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "HOROVOD_GLOO_IFACE": "lo", "CUDA_VISIBLE_DEVICES": "",
          "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def isolate(folder: pathlib.Path, command: list, *flags: str, environ: dict | None = None) -> tuple[dict, int, str]:
    """The document that isolate writes, its status, and what it said besides."""
    done = subprocess.run([LOCKSTEP, "isolate", "--json", "-o", str(folder), *flags, "--", *map(str, command)],
                          env=ALONE | (environ or {}), capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    assert (folder / "findings.json").read_text() == done.stdout
    return json.loads(done.stdout), done.returncode, done.stderr


def fail(folder: pathlib.Path, *ranks: tuple[list, dict]) -> str:
    """Runs the job as its user does, all processes at once, and gives the folder of its logs."""
    folder.mkdir()
    processes = []
    for number, (command, environ) in enumerate(ranks):
        with open(folder / (f"rank_{number}.log" if len(ranks) > 1 else "launcher.log"), "wb") as log:
            processes.append(subprocess.Popen([*map(str, command)], env=ALONE | environ, stdout=log,
                                              stderr=subprocess.STDOUT))
    assert any([process.wait(timeout=300) != 0 for process in processes]), "the job was to fail"
    return str(folder)


def both(run, *faults: str) -> list:
    with ThreadPoolExecutor() as threads:
        return list(threads.map(run, faults or ("ordinary", "distributed")))


def check_ordinary(document: dict, status: int, said: str):
    control = document["control"]
    assert control["outcome"] == "remains" and status != 0 and control["status"] == status, control["statement"] + said
    assert document["findings"][0]["scope"] == "ordinary"
    files = {evidence["file"] for evidence in document["findings"][0]["evidence"]}
    assert len({pathlib.Path(file).parent for file in files}) == 2, files


def check_distributed(document: dict, status: int, said: str):
    assert document["control"]["outcome"] == "gone" and status == 0, said
    assert document["findings"][0]["scope"] == "distributed"
    assert "rank 0 of 1" in said


def test_torchrun(tmp_path):
    def run(fault):
        command = [python_of("torch"), "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2",
                   JOBS / "torch_job.py", fault]
        job = fail(tmp_path / f"{fault}_job", (command, {}))
        return isolate(tmp_path / fault, command, "--against", job)
    ordinary, distributed = both(run)
    check_ordinary(*ordinary)
    check_distributed(*distributed)
    assert ordinary[0]["findings"][0]["code"] == "tensor.matmul"


def test_horovodrun(tmp_path):
    python = pathlib.Path(python_of("horovod-torch"))
    environ = {"PATH": f"{python.parent}{os.pathsep}{ALONE['PATH']}"}

    def run(fault):
        command = ["horovodrun", "-np", "2", "-H", "localhost:2", "--gloo", "--network-interfaces", "lo", python,
                   JOBS / "horovod_job.py", fault]
        against = []
        if fault == "distributed":
            against = ["--against", fail(tmp_path / "job", ([python.parent / "horovodrun", *command[1:]], environ))]
        return isolate(tmp_path / fault, command, *against, environ=environ)
    (document, status, said), distributed = both(run)
    check_distributed(*distributed)
    assert document["control"]["outcome"] == "fault_alone" and status != 0, said
    assert document["findings"][0]["code"] == "tensor.matmul"


def test_mpirun(tmp_path):
    program = tmp_path / "mpi_job"
    subprocess.run(["mpicxx", "-o", program, JOBS / "mpi_job.cc"], check=True)

    def run(fault):
        command = ["mpirun", "-np", "2", "--oversubscribe", "--mca", "btl", "self,vader,tcp", program, fault]
        job = fail(tmp_path / f"{fault}_job", (command, {}))
        return isolate(tmp_path / fault, command, "--against", job)
    ordinary, distributed = both(run)
    check_ordinary(*ordinary)
    check_distributed(*distributed)


def test_tf_config(tmp_path):
    ports = PortClaims()
    cluster = {"worker": [f"127.0.0.1:{ports.claim()}" for _ in range(2)]}
    configs = [{"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})}
               for index in range(2)]

    def run(fault):
        command = [python_of("tensorflow"), JOBS / "tf_job.py", fault]
        against = []
        if fault == "distributed":
            against = ["--against", fail(tmp_path / "job", *((command, config) for config in configs))]
        return isolate(tmp_path / fault, command, *against, environ=configs[1])
    (document, status, said), distributed = both(run)
    check_distributed(*distributed)
    assert document["control"]["outcome"] == "fault_alone" and status != 0, said
    assert document["findings"][0]["leaf"] == "RUN-TENSOR"


def test_env_variables(tmp_path):
    """A process that is told to be rank 3 of 4 learns that it is alone."""
    script = "import os; print('rank', os.environ['RANK'], 'of', os.environ['WORLD_SIZE'], os.environ['MASTER_ADDR'])"
    document, status, said = isolate(tmp_path / "run", [sys.executable, "-c", script],
                                     environ={"RANK": "3", "WORLD_SIZE": "4", "MASTER_ADDR": "far", "MASTER_PORT": "1"})
    assert status == 0 and "rank 0 of 1 127.0.0.1" in said, said
    assert document["control"]["outcome"] == "no_fault_alone"


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_is_passed_on_and_nothing_is_left(tmp_path, number, status):
    script = ("import subprocess, sys, time; subprocess.Popen(['sleep', '1000'], start_new_session=True);"
              "print('ready', flush=True); time.sleep(1000)")
    run = subprocess.Popen([LOCKSTEP, "isolate", "--json", "-o", tmp_path / "run", "--", sys.executable, "-c", script],
                           env=ALONE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # a background shell ignores SIGINT
    while run.stderr.readline() != "ready\n":
        assert run.poll() is None
    run.send_signal(number)
    document, _ = run.communicate(timeout=300)
    assert run.returncode == status
    assert json.loads(document)["control"]["outcome"] == "cannot_say"


def test_after_the_time_limit_it_cannot_say(tmp_path):
    document, status, _ = isolate(tmp_path / "run", ["sleep", "1000"], "--timeout", "1")
    assert status == 124 and document["control"]["timed_out"]
    assert document["control"]["outcome"] == "cannot_say"


def is_understood(launcher: list, flag: str, values: int) -> bool:
    """The program is found behind the flag, or the flag is refused for what it means."""
    command = [*launcher, flag, *["1"] * values, "program", "--its-own"]
    done = subprocess.run([LOCKSTEP, "isolate", "--json", "--dry-run", "--", *command], env=ALONE, capture_output=True,
                          text=True)
    if done.returncode == 2:
        return "not a flag" not in done.stderr and "missing" not in done.stderr
    return json.loads(done.stdout)["control"]["command"][-2:] == ["program", "--its-own"]


PARSERS = {
    "torchrun": ("torch", "from torch.distributed.run import get_args_parser; parser = get_args_parser()"),
    "horovodrun": ("horovod-torch", "import argparse, horovod.runner.launch as launch\n"
                   "class Caught(Exception): pass\n"
                   "def catch(self, *_): global parser; parser = self; raise Caught\n"
                   "argparse.ArgumentParser.parse_args = catch\n"
                   "try: launch.parse_args()\n"
                   "except Caught: pass\n"),
}


@pytest.mark.parametrize("launcher", PARSERS)
def test_every_flag_of_the_installed_launcher_is_known(launcher):
    env, make_parser = PARSERS[launcher]
    listing = make_parser + ("\nfor action in parser._actions:\n"
                             " n = action.nargs if isinstance(action.nargs, int) else (1 if action.nargs is None else 0)\n"
                             " if action.dest not in ('help', 'version', 'check_build'):\n"
                             "  for flag in action.option_strings: print(flag, n)\n")
    listed = subprocess.run([python_of(env), "-c", listing], capture_output=True, text=True, check=True).stdout
    flags = [line.split() for line in listed.splitlines() if line.startswith("-")]
    assert len(flags) > 20, listed
    assert [flag for flag, values in flags if not is_understood([launcher], flag, int(values))] == []


def test_every_flag_of_the_installed_mpirun_is_known():
    listed = subprocess.run(["mpirun", "--help", "all"], env=ALONE, capture_output=True, text=True).stdout
    # "-c|-np|--np <arg0>   ...": names, then the values; long names have them on the same line too.
    rows = re.findall(r"^ {0,3}(-[^ \n]+)((?: <arg\d>)*)", listed, re.MULTILINE)
    flags = [(name, values.count("<")) for names, values in rows for name in names.split("|")]
    assert len(flags) > 80, listed
    ignored = {"-h", "--help", "-V", "--version"}
    assert [flag for flag, values in flags if flag not in ignored and not is_understood(["mpirun"], flag, values)] == []
