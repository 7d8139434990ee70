"""The page that `lockstep report` writes, in a real browser: of a real job that hangs, of hostile logs, of findings alone."""

import json
import os
import subprocess

from harness.registry import REPOSITORY
from recordings import LOCKSTEP, python_with_native_half

CHECK = REPOSITORY / "tests/page/check.mjs"
CHECK_FAULTS = REPOSITORY / "tests/page/check_faults.mjs"
# What `check --json --probe-matrix` wrote of six namespaces: host1 drops what comes from host2, and host4's link is shaped
# to 200 Mbit/s on its way out.
MEASURED = REPOSITORY / "tests/page/recorded/probe_of_six_hosts.json"

HOSTILE = b"\n".join([
    b"<script>document.title='owned'</script>",
    b"<img src=x onerror=\"document.title='owned'\">",
    b"</script><!-- --><svg onload=alert(1)>",
    b"\x1b[31mred\x1b[0m \x1b]0;owned\x07 \xff\xfe \xe2\x80\xae backwards",
    b"[rank1]: torch.OutOfMemoryError: CUDA out of memory. <b>Tried</b> to allocate 20.00 MiB",
    b"x" * (1 << 20),
    b"javascript:alert(1) https://example.invalid/?a=\"><script>alert(1)</script>",
]) + b"\n"


# Each step reduces once; then one rank does what FAULT says.
TRAIN = """import os, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
weights = torch.nn.Parameter(torch.ones(577))
optimizer = torch.optim.SGD([weights], lr=0.1)
dist.broadcast(weights.data, 0)
time.sleep(0.4)
for step in range(12):
    time.sleep(0.02)
    weights.grad = torch.ones(577)
    dist.all_reduce(weights.grad)
    optimizer.step()
if os.environ["FAULT"] == "raise" and rank == 1:
    raise ValueError("could not parse sample 4711.jpg")
if os.environ["FAULT"] == "shape" and rank == 2:
    dist.all_reduce(torch.ones(1))
else:
    dist.all_reduce(torch.ones(577))
dist.barrier()
"""

MARKDOWN = {
    "schema": "lockstep-findings-v1", "job": {"ranks_seen": [0]}, "limits": [],
    "findings": [{
        "leaf": "RUN-OTHER", "code": "x.y", "scope": "unknown", "confidence": 0.5, "root_ranks": [0], "victim_ranks": [], "title": "A title",
        "explanation": "", "evidence": [], "fixes": [{
            "pattern": "other", "title": "Call it outside `if rank == 0`", "commands": [],
            "steps": ["Leave `if rank == 0` so that **every rank** calls it: [why](https://example.invalid/a)",
                      "<img src=x onerror=alert(1)> **<script>alert(1)</script>** `<svg onload=alert(1)>`",
                      "[run](javascript:alert(1)) [data](data:text/html,x) javascript:alert(1) https://example.invalid/?q=\"onclick=alert(1)"]}]}]}


def recording_of(fault, folder):
    script = folder / "train.py"
    script.write_text(TRAIN)
    environ = os.environ | {"FAULT": fault, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    subprocess.run([LOCKSTEP, "run", "--on-hang=kill", "-o", folder / "recording", "--", python_with_native_half().with_name("torchrun"),
                    "--nproc-per-node", "3", script], env=environ, capture_output=True, timeout=300)
    return folder / "recording"


def recording_of_a_job_whose_rank_2_leaves(folder):
    python = python_with_native_half()
    environ = os.environ | {"LAB_LEAVE_EARLY": "2:5", "LAB_STEPS": "12", "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    subprocess.run([LOCKSTEP, "run", "--on-hang=kill", "-o", folder, "--", python.with_name("torchrun"), "--nproc-per-node",
                    "4", REPOSITORY / "lab/jobs/torch_ddp.py"], env=environ, capture_output=True, timeout=300)
    return folder


def check_of_hosts(page):
    facts = REPOSITORY / "tests/cases/check/a_blocked_port_between_hosts/input/facts"
    done = subprocess.run([LOCKSTEP, "check", "--facts", facts, "-o", page, "--", "torchrun", "--nnodes", "4", "--master-addr", "10.0.0.1",
                           "train.py"], capture_output=True, text=True, timeout=300, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 1, done.stderr
    return page


def write_page(source, page):
    done = subprocess.run([LOCKSTEP, "report", source, "-o", page], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    return page


def test_every_view_in_a_browser(tmp_path):
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    (hostile / "job.log").write_bytes(HOSTILE)
    healthy = tmp_path / "healthy.json"
    healthy.write_text(json.dumps({"schema": "lockstep-findings-v1", "job": {"ranks_seen": [0, 1]}, "findings": [], "limits": []}))
    recording = recording_of_a_job_whose_rank_2_leaves(tmp_path / "recording")
    pages = [write_page(source, tmp_path / f"{name}.html") for name, source in (
        ("demo", recording), ("hostile", hostile), ("findings", recording / "findings.json"), ("healthy", healthy))]
    pages.append(check_of_hosts(tmp_path / "hosts.html"))
    pages.append(write_page(MEASURED, tmp_path / "measured.html"))
    assert pages[1].stat().st_size < 1 << 20, "a line of a megabyte made a page of a megabyte"

    modules = subprocess.run([REPOSITORY / "tools/page_modules"], capture_output=True, text=True, check=True).stdout.strip()
    done = subprocess.run(["node", CHECK, *pages], capture_output=True, text=True, timeout=300,
                          env=os.environ | {"LOCKSTEP_PAGE_MODULES": modules})
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_faults_in_a_browser(tmp_path):
    sources = []
    for fault in ("raise", "shape"):
        (tmp_path / fault).mkdir()
        sources.append(recording_of(fault, tmp_path / fault))
    (tmp_path / "prose.json").write_text(json.dumps(MARKDOWN))
    sources.append(tmp_path / "prose.json")
    (tmp_path / "epochs").mkdir()
    (tmp_path / "epochs/job.log").write_text("".join(f"Epoch {n}/10 loss {1 / n:.3f}\n" for n in range(1, 11)))
    sources.append(tmp_path / "epochs")
    pages = [write_page(source, tmp_path / f"{i}.html") for i, source in enumerate(sources)]
    modules = subprocess.run([REPOSITORY / "tools/page_modules"], capture_output=True, text=True, check=True).stdout.strip()
    done = subprocess.run(["node", CHECK_FAULTS, *pages], capture_output=True, text=True, timeout=300,
                          env=os.environ | {"LOCKSTEP_PAGE_MODULES": modules})
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
