"""One job with one fault under `lockstep run`, and when it was named."""

import dataclasses
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

from overhead import ROOT, python_of

RANKS, FAULTY, STEP = 3, 1, 30  # enough steps before it for the watcher to know the job
STEPS_AFTER = 20
LIMIT_S = 400  # of a run, start included
NOTICE = re.compile(r"lockstep: [\d.]+ s: (waiting: |hangs: |slow: )?(?P<title>.*) \((?P<code>[\w.]+)\)$")
FAULT = re.compile(r"lab rank=\d+ fault=\w+ at=([\d.]+)")


@dataclasses.dataclass
class Said:
    code: str = "nothing"
    leaf: str = "-"
    roots: list = dataclasses.field(default_factory=list)
    seconds: float = float("nan")
    when: str = "never"


def run_once(build: pathlib.Path, folder: pathlib.Path, fault: str, env: str, script: pathlib.Path, launcher: str,
             more: dict) -> Said:
    python = python_of(env)
    commands = {
        "tf_config": [sys.executable, str(pathlib.Path(__file__).resolve()), python, str(script)],
        "torchrun": [python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(RANKS), str(script)],
        "horovodrun": [os.path.join(os.path.dirname(python), "horovodrun"), "--gloo", "-np", str(RANKS), "--network-interfaces",
                       "lo", python, str(script)],
    }
    environ = os.environ | more | {
        "PATH": f"{os.path.dirname(python)}:{os.environ['PATH']}", "LAB_JOBS": str(ROOT / "lab/jobs"),
        "LAB_FAULT": f"{fault}:{FAULTY}@{STEP}", "LAB_STEPS": str(STEP + STEPS_AFTER), "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo", "HOROVOD_GLOO_IFACE": "lo", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "",
        "PYTHONDONTWRITEBYTECODE": "1"}
    job = subprocess.Popen([build / "lockstep", "run", "-o", folder / "recording", "--", *commands[launcher]], env=environ, text=True,
                           stdin=subprocess.DEVNULL, stdout=open(folder / "out", "w"), stderr=subprocess.PIPE)
    try:
        said = _listen(job, folder)
    finally:
        job.send_signal(signal.SIGTERM)
        job.wait()
    said.leaf = next((finding["leaf"] for finding in _findings(folder) if finding["code"] == said.code), "-")
    return said


def _listen(job, folder: pathlib.Path) -> Said:
    os.set_blocking(job.stderr.fileno(), True)
    deadline = time.time() + LIMIT_S
    signal.signal(signal.SIGALRM, lambda *_: job.send_signal(signal.SIGTERM))
    signal.alarm(LIMIT_S)
    try:
        for line in job.stderr:
            if (notice := NOTICE.match(line.rstrip())) and time.time() < deadline:
                said_at = time.time()
                return Said(code=notice["code"], roots=_ranks_in(notice["title"]), seconds=said_at - _fault_time(folder),
                            when="while it ran")
        job.wait()
        return _verdict_at_end(folder, time.time())
    finally:
        signal.alarm(0)


def _ranks_in(title: str) -> list:
    match = re.search(r"[Rr]anks? (\d+)(?!\d*-)", title)
    return [int(match[1])] if match else []


def _fault_time(folder: pathlib.Path) -> float:
    match = FAULT.search((folder / "out").read_text())
    return float(match[1]) if match else float("nan")


def _verdict_at_end(folder: pathlib.Path, ended_at: float) -> Said:
    findings = _findings(folder)
    if not findings:
        return Said()
    return Said(code=findings[0]["code"], roots=findings[0]["root_ranks"], seconds=ended_at - _fault_time(folder),
                when="at its end")


def _findings(folder: pathlib.Path) -> list:
    found = folder / "recording/findings.json"
    return json.loads(found.read_text())["findings"] if found.exists() else []


def start_tasks(python: str, script: str) -> int:
    """The ranks of a TensorFlow cluster, as a job of their own; the first failure is the job's."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(RANKS)]
    cluster = {"worker": [f"127.0.0.1:{listener.getsockname()[1]}" for listener in listeners]}
    for listener in listeners:
        listener.close()
    ranks = [subprocess.Popen([python, script], env=os.environ | {"TF_CONFIG": json.dumps(
        {"cluster": cluster, "task": {"type": "worker", "index": rank}})}) for rank in range(RANKS)]
    return max(abs(rank.wait()) for rank in ranks)


if __name__ == "__main__":
    sys.exit(start_tasks(*sys.argv[1:]))
