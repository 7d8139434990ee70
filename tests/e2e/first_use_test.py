"""What a newcomer types in the first minutes, and the first mistakes: each command says what it did, or what to type instead."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

import pytest

from harness.registry import REPOSITORY
from recordings import LOCKSTEP, PYTHON_ADAPTERS, python_with_native_half, steps_of
from service_client import Service, lockstep, wait_until

JOB = pathlib.Path(__file__).parent / "run_jobs/ddp_with_fault.py"
LIMIT_S = 300  # of a command that takes a moment on an idle machine
DEMOS = ["desync", "oom", "straggler", "nan", "exception"]


def type_in(folder, *words, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "stdin": subprocess.DEVNULL,
               "timeout": LIMIT_S} | options
    return subprocess.run([LOCKSTEP, *map(str, words)], cwd=folder, **options)


# The job's command


def test_a_command_needs_no_dashes_before_it(tmp_path):
    script = tmp_path / "show.py"
    script.write_text("import sys\nprint(sys.argv[1:])\n")
    for words in (["run", "-q"], ["run", "-q", "--"]):
        done = type_in(tmp_path, *words, "/usr/bin/python3", script, "-q", "--out", "x", "--", "--help")
        assert (done.returncode, done.stdout) == (0, "['-q', '--out', 'x', '--', '--help']\n"), done.stderr
    plan = type_in(tmp_path, "isolate", "--dry-run", "torchrun", "--nproc-per-node", "4", script, "--lr", "1")
    assert plan.returncode == 0 and "--lr 1" in plan.stdout, plan.stdout + plan.stderr
    checked = type_in(tmp_path, "check", "torchrun", "--nnodes", "2", "--node-rank", "5", "--master-addr", "10.0.0.1", script)
    assert checked.returncode == 1 and "lockstep check" not in checked.stderr, checked.stdout + checked.stderr
    refused = type_in(tmp_path, "replay", tmp_path, "-r", "1", "python", "--flag", "x")
    assert "unknown flag" not in refused.stderr and "holds no payload" in refused.stderr


def test_check_takes_a_file_of_that_name_for_a_file(tmp_path):
    (tmp_path / "torchrun").write_text("nothing that starts a job\n")
    checked = type_in(tmp_path, "check", "torchrun", "--json")
    assert checked.returncode == 2 and "torchrun: not a launch file" in checked.stderr, checked.stderr


# The start of a run


def said_by_lockstep(done):
    return [line for line in done.stderr.splitlines() if line.startswith("lockstep: ")]


def test_a_run_says_where_it_records_and_how_to_watch(tmp_path):
    done = type_in(tmp_path, "run", "true")
    first = said_by_lockstep(done)[0]
    made = next(tmp_path.glob("lockstep-2*"))
    assert first == f"lockstep: recording to {made.name}; watch with 'lockstep top'", done.stderr
    done = type_in(tmp_path, "run", "-o", "rec", "true")
    assert said_by_lockstep(done)[0] == "lockstep: recording to rec; watch with 'lockstep top rec'"
    assert type_in(tmp_path, "run", "-q", "-o", "quiet", "true").stderr == ""
    done = type_in(tmp_path, "run", "-o", "my run", "sh", "-c", "echo rank 0; exit 3")
    assert said_by_lockstep(done)[0] == "lockstep: recording to 'my run'; watch with 'lockstep top 'my run''"


def test_a_run_without_a_framework_says_so(tmp_path):
    done = type_in(tmp_path, "run", "true")
    assert done.returncode == 0 and "no distributed framework found" in done.stderr
    assert "nothing wrong found" not in done.stderr


def test_the_framework_and_its_recorder_are_named_before_the_job_starts(tmp_path):
    python = python_with_native_half()
    (tmp_path / "train.py").write_text("import torch.nn\nprint('the job runs', flush=True)\n")
    with_compiler = type_in(tmp_path, "run", python, "train.py")
    assert re.search(r"^lockstep: recording to \S+ \(PyTorch 2\.[\d.]+, compiled recorder\); watch with", with_compiler.stderr,
                     re.MULTILINE), with_compiler.stderr
    environ = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": "/nowhere", "CXX": ""}
    without = type_in(tmp_path, "run", python, "train.py", env=environ, stderr=subprocess.STDOUT)
    assert without.returncode == 0 and re.search(r"\(PyTorch 2\.[\d.]+, Python-only recorder\)", without.stdout), without.stdout
    order = [without.stdout.index(part) for part in ("recording to", "there is no C++ compiler; install g++ and run again",
                                                     "the job runs")]
    assert order == sorted(order), without.stdout
    assert not list((tmp_path / "cache").rglob("failed")), "the next run looks for a compiler again"


@pytest.mark.parametrize("is_safe", ["", "1"])
def test_a_broken_framework_does_not_hide_the_others(tmp_path, is_safe):
    """Also where Python leaves the script's folder out of its path (PYTHONSAFEPATH)."""
    for name, version in (("jax", b"\xff"), ("torch", b"__version__ = '2.9.9'\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        (tmp_path / name / "version.py").write_bytes(version)
    (tmp_path / "train.py").write_text("import jax, torch\n")
    environ = {"PYTHONPATH": f"{PYTHON_ADAPTERS}:{tmp_path}", "PYTHONSAFEPATH": is_safe, "XDG_CACHE_HOME": str(tmp_path / "cache"),
               "PATH": "/nowhere", "CXX": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["/usr/bin/python3", PYTHON_ADAPTERS / "lockstep_python/prepare.py", "python", "train.py"], cwd=tmp_path,
                          capture_output=True, text=True, env=environ, timeout=LIMIT_S)
    assert done.returncode == 0, done.stderr
    assert [line.split("\t")[:3] for line in done.stdout.splitlines()] == [["none", "PyTorch", "2.9.9"]], done.stderr


# The part of an adapter that is compiled


BUILDER = """
import sys
from lockstep_python import native_build
class Tiny(native_build.Recipe):
    sources_folder = sys.argv[1]
recipe = Tiny("tiny", "1", "", lambda: [], lambda: [])
try:
    print(native_build.library_for(recipe))
except native_build.BuildError as error:
    print(f"{type(error).__name__}: {error}")
"""


class Builds:
    def __init__(self, folder):
        self.sources = folder / "sources"
        self.sources.mkdir()
        (self.sources / "tiny.cc").write_text("int tiny() { return 1; }\n")
        self.cache = folder / "cache"
        self.folder = folder

    def build(self, compiler, path="/usr/bin:/bin"):
        environ = {"PYTHONPATH": str(PYTHON_ADAPTERS), "XDG_CACHE_HOME": str(self.cache), "CXX": str(compiler), "PATH": path,
                   "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(["/usr/bin/python3", "-c", BUILDER, self.sources], capture_output=True, text=True, env=environ,
                              timeout=LIMIT_S)

    def compiler(self, name, script):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def left(self):
        return sorted(path.name for path in self.cache.rglob("*") if path.name.startswith(("build-", "failed")))


def test_a_missing_compiler_is_looked_for_again(tmp_path):
    builds = Builds(tmp_path)
    assert builds.build("", path="/nowhere").stdout == "NoCompiler: there is no C++ compiler\n"
    assert builds.left() == []
    assert builds.build("g++").stdout.strip().endswith("lockstep_tiny.so")


def test_a_compiler_that_failed_is_not_asked_again_and_another_one_is(tmp_path):
    builds = Builds(tmp_path)
    broken = builds.compiler("broken", "echo broken: error >&2; exit 1")
    assert builds.build(broken).stdout == "BuildError: broken: error\n"
    assert "an earlier build failed" in builds.build(broken).stdout
    assert builds.build("g++").stdout.strip().endswith("lockstep_tiny.so")


def test_a_killed_build_leaves_nothing_for_the_next_one(tmp_path):
    builds = Builds(tmp_path)
    killer = builds.compiler("killer", "kill -9 $PPID")
    assert builds.build(killer).returncode == -signal.SIGKILL and len(builds.left()) == 1
    assert builds.build("g++").stdout.strip().endswith("lockstep_tiny.so")
    assert builds.left() == []


# The exit status


def python_that(does):
    return ["/usr/bin/python3", "-c", does]


STATUSES = [
    (["true"], 0), (["false"], 1), (["sh", "-c", "exit 2"], 2), (["sh", "-c", "exit 3"], 3), (["sh", "-c", "exit 77"], 77),
    (["sh", "-c", "exit 127"], 127), (["sh", "-c", "exit 255"], 255), (["sh", "-c", "echo out; exit 4"], 4),
    (["sh", "-c", "echo Error: no such thing >&2; exit 5"], 5), (["sh", "-c", "kill -9 $$"], 137), (["sh", "-c", "kill -15 $$"], 143),
    (["sh", "-c", "kill -11 $$"], 139), (["sh", "-c", "kill -6 $$"], 134), (["sh", "-c", "kill -2 $$"], 130),
    (python_that("raise SystemExit(3)"), 3), (python_that("raise ValueError('x')"), 1),
    (python_that("import os; os.kill(os.getpid(), 9)"), 137), (python_that("import os; os.abort()"), 134),
    (["sh", "-c", "sh -c 'exit 9' | cat; exit 6"], 6), (["sh", "-c", "(exit 8) & wait $!"], 8),
]


@pytest.mark.parametrize("command, status", STATUSES, ids=[f"{number}-{status}" for number, (_, status) in enumerate(STATUSES)])
def test_the_exit_status_is_the_jobs_own(tmp_path, command, status):
    done = type_in(tmp_path, "run", "-o", "rec", *command)
    assert done.returncode == status, done.stderr
    assert type_in(tmp_path, "run", "-q", "-o", "quiet", *command).returncode == status


@pytest.mark.parametrize("fault, steps, status", [("none", "3", 0), ("fail", "31", 1)])
def test_the_exit_status_of_a_recorded_job_is_the_launchers(tmp_path, fault, steps, status):
    torchrun = python_with_native_half().with_name("torchrun")
    environ = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = type_in(tmp_path, "run", "-o", "rec", torchrun, "--nproc-per-node", "3", JOB, fault, steps, env=environ)
    assert done.returncode == status, done.stderr
    assert len(list((tmp_path / "rec").glob("rank_*"))) == 3


# Programs that cannot be started


def test_what_cannot_be_started_is_told_with_what_to_type(tmp_path):
    (tmp_path / "train.py").write_text("print(1)\n")
    done = type_in(tmp_path, "run", "./train.py")
    assert done.returncode == 2 and "not executable" in done.stderr and "type python ./train.py" in done.stderr
    done = type_in(tmp_path, "run", "train.py")
    assert done.returncode == 2 and "type python train.py" in done.stderr
    done = type_in(tmp_path, "run", "nosuchprogram")
    assert done.returncode == 2 and "No such program in PATH" in done.stderr
    assert type_in(tmp_path, "run", ".").returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.py"], "nothing ran, and nothing was recorded"


# The demos


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_shows_a_verdict_and_a_page(tmp_path, name):
    environ = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    shown = type_in(tmp_path, "demo", name, env=environ)
    assert shown.returncode == 0 and len(shown.stdout.splitlines()) > 3, shown.stderr
    verdict = json.loads(type_in(tmp_path, "demo", name, "--json", env=environ).stdout)
    codes = [finding["code"] for finding in verdict["findings"]]
    expected = {"desync": "mismatch.operation", "oom": "mem.", "straggler": "straggler.", "nan": "result.nan", "exception": "script.exception"}
    assert codes[0].startswith(expected[name]), codes
    paged = type_in(tmp_path, "demo", name, "-o", "page.html", env=environ)
    assert paged.returncode == 0 and "wrote page.html" in paged.stderr and (tmp_path / "page.html").stat().st_size > 100_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html"], "nothing else is left"


def test_the_demos_are_listed_kept_and_small(tmp_path):
    listed = type_in(tmp_path, "demo")
    assert listed.returncode == 0 and all(re.search(rf"^  {name} ", listed.stdout, re.MULTILINE) for name in DEMOS)
    assert type_in(tmp_path, "demo", "--names").stdout.split() == DEMOS
    assert [demo["name"] for demo in json.loads(type_in(tmp_path, "demo", "--json").stdout)] == DEMOS
    kept = type_in(tmp_path, "demo", "oom", "--keep", "kept")
    assert kept.returncode == 0 and len(list((tmp_path / "kept").glob("rank_*.lockstep"))) == 4
    assert type_in(tmp_path, "dump", "kept").returncode == 0
    missed = type_in(tmp_path, "demo", "desinc")
    assert missed.returncode == 2 and "did you mean 'desync'?" in missed.stderr
    archives = list((REPOSITORY / "src/cli/demos").glob("*.tar.zst"))
    assert len(archives) == len(DEMOS) and sum(path.stat().st_size for path in archives) < 1_000_000


def test_the_demos_speak_as_the_tool_does_today(tmp_path):
    """tools/refresh_demos puts today's words into them."""
    for name in DEMOS:
        type_in(tmp_path, "demo", name, "--keep", name)
        stored = json.loads((tmp_path / name / "findings.json").read_text())["findings"]
        for told in ("findings.json", ".seen_live.json"):
            (tmp_path / name / told).unlink()
        now = json.loads(type_in(tmp_path, "diagnose", "--json", name).stdout)["findings"]
        today = {finding["code"]: finding["title"] for finding in now}
        assert [today.get(finding["code"]) for finding in stored] == [finding["title"] for finding in stored], name


# Logs of a stranger


EXCEPTION = """step 0 loss 4.3
step 5 loss 4.1
[rank2]: Traceback (most recent call last):
[rank2]:   File "/home/u/train.py", line 44, in <module>
[rank2]:     main()
[rank2]:   File "/home/u/train.py", line 31, in main
[rank2]:     raise ValueError("could not parse sample 4711.jpg")
[rank2]: ValueError: could not parse sample 4711.jpg
E1118 09:12:03.600000 4242 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 2 (pid: 4252) of binary: python
"""
PREFIXES = ["", "Nov 18 09:12:02 gpu-3 train[29511]: ", "2026-11-18T09:12:02.345678901Z stderr F ", "[12345.678901] ",
            "<165>1 2026-11-18T09:12:02.003Z gpu-12 train 8710 ID47 - ", "26/11/18 09:12:02 INFO TaskSetManager: "]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_verdict_is_the_same_whoever_collected_the_log(tmp_path, prefix):
    (tmp_path / "job.log").write_text("".join(f"{prefix}{line}\n" for line in EXCEPTION.splitlines()))
    done = type_in(tmp_path, "diagnose", "job.log")
    first = done.stdout.splitlines()
    assert done.returncode == 1 and len(first) <= 20, done.stdout
    assert " ".join(first[:2]) == "The script raised an exception at train.py:31: ValueError: could not parse sample 4711.jpg", done.stdout
    assert first[2].startswith("   Root cause: rank 2.") and not re.search(r"^2\. ", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize("log", [
    "[W1118 09:12:02.111222333 socket.cpp:697] [c10d] The client socket has failed to connect to [node0]:29500 (errno: 111 - Connection "
    "refused).\nstep 0 loss 3.2\nstep 10 loss 2.2\nTraining finished\n",
    "{'loss': 1.91, 'grad_norm': 1.0, 'learning_rate': 3.5e-05, 'epoch': 0.6}\n"
    "Training completed. Error rate: 0.021 (WER), 0 failed samples, max retries 3, timeout=30\n"], ids=["retried", "counted"])
def test_a_job_that_went_well_gives_no_alarm(tmp_path, log):
    (tmp_path / "job.log").write_text(log)
    done = type_in(tmp_path, "diagnose", "job.log")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("Nothing wrong found"), done.stdout


@pytest.mark.parametrize("text", ["hello\n", "ddp\t37/ddp\t# Datagram Delivery Protocol\nssh\t22/tcp\n", "root:x:0:0:root:/root:/bin/bash\n"])
def test_what_is_of_no_job_is_told_as_such(tmp_path, text):
    (tmp_path / "text").write_text(text)
    with open(tmp_path / "text", encoding="utf-8") as typed:
        done = type_in(tmp_path, "diagnose", "-", stdin=typed)
    lines = text.count("\n")
    assert done.returncode == 2 and done.stderr.startswith(f"lockstep: no training job seen in {lines} line"), done.stderr


# What is written and looked at afterwards


def test_a_report_says_what_it_wrote(tmp_path):
    type_in(tmp_path, "demo", "exception", "--keep", "rec")
    done = type_in(tmp_path, "report", "rec", "-o", "r.html")
    assert done.returncode == 0 and re.search(rf"wrote r\.html \(\d+ findings?\); open file://{tmp_path}/r\.html", done.stderr), done.stderr
    done = type_in(tmp_path, "report", "rec", "-f", "markdown", "-o", "r.md")
    assert done.returncode == 0 and "wrote r.md (" in done.stderr
    assert type_in(tmp_path, "report", "rec").returncode == 1


def test_top_knows_that_a_job_has_ended(tmp_path):
    torchrun = python_with_native_half().with_name("torchrun")
    environ = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = type_in(tmp_path, "run", "-o", "rec", torchrun, "--nproc-per-node", "2", JOB, "shape", "3", env=environ)
    assert done.returncode == 0, done.stderr  # step 30 is not reached
    shown = type_in(tmp_path, "top", "--once", "rec")
    assert "the job has ended" in shown.stdout and "running" not in shown.stdout, shown.stdout
    command = [torchrun, "--nproc-per-node", "3", JOB, "stop"]
    done = type_in(tmp_path, "run", "--on-hang=kill", "-o", "hung", *command, env=environ)
    assert done.returncode != 0
    snapshot = json.loads(type_in(tmp_path, "top", "--json", "hung").stdout)
    states = {rank["state"] for rank in snapshot["ranks"]}
    assert snapshot["job"]["is_over"] and states <= {"gone", "ended"}, snapshot
    found = json.loads((tmp_path / "hung/findings.json").read_text())["findings"]
    assert [finding["code"] for finding in snapshot["findings"]] == [finding["code"] for finding in found]


def test_a_healthy_job_that_is_interrupted_is_told_in_short(tmp_path):
    torchrun = python_with_native_half().with_name("torchrun")
    environ = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    command = [LOCKSTEP, "run", "-o", "rec", torchrun, "--nproc-per-node", "2", JOB, "none", "1000000"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ) as job:
        wait_until(lambda: steps_of(tmp_path / "rec") > 20, "the job trains")
        job.send_signal(signal.SIGINT)
        _, said = job.communicate(timeout=LIMIT_S)
    assert job.returncode != 0
    own = said[said.index("lockstep: stopped by Ctrl-C"):]
    assert "no rank was stuck" in own and "'lockstep diagnose rec' says more" in own and len(own.splitlines()) <= 5, said
    assert json.loads((tmp_path / "rec/findings.json").read_text())["findings"]


# What cannot be read or compared


def test_permission_denied_comes_first(tmp_path):
    """As another user, of whose path to the program nothing is asked: it is opened before."""
    closed = tmp_path / "closed.log"
    closed.write_text("rank 0: ValueError\n")
    closed.chmod(0)
    tmp_path.chmod(0o755)
    program = os.open(LOCKSTEP, os.O_RDONLY)
    folder = pathlib.Path("/tmp") / f"lockstep-first-use-{os.getpid()}"
    folder.mkdir()
    try:
        shutil.copy(closed, folder / "closed.log")
        (folder / "closed.log").chmod(0)
        done = subprocess.run([f"/proc/self/fd/{program}", "diagnose", str(folder / "closed.log")], capture_output=True, text=True,
                              pass_fds=[program], user=65534 if os.geteuid() == 0 else None, timeout=LIMIT_S)
    finally:
        shutil.rmtree(folder)
        os.close(program)
    assert done.returncode == 2 and re.match(r"lockstep: cannot read: \S+closed\.log: Permission denied\n", done.stderr), done.stderr


def test_diff_speaks_of_comparing(tmp_path):
    type_in(tmp_path, "demo", "nan", "--keep", "rec")
    done = type_in(tmp_path, "diff", "rec", "rec")
    assert done.returncode == 2 and done.stderr.startswith("lockstep: cannot compare: rec: it holds no payload"), done.stderr
    done = type_in(tmp_path, "diff", "rac", "rec")
    assert done.returncode == 2 and done.stderr.startswith("lockstep: cannot compare: rac: no such recording"), done.stderr


# What a check sees of this host


def checked(folder, *words, **variables):
    environ = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | variables
    done = type_in(folder, "check", "--json", *words, env=environ)
    assert done.returncode in (0, 1), done.stderr
    return [finding["code"] for finding in json.loads(done.stdout)["findings"]]


def test_a_job_of_this_host_is_checked_on_this_host(tmp_path):
    (tmp_path / "train.py").touch()
    job = ["torchrun", "--standalone", "--nproc-per-node", "2", "train.py"]
    assert checked(tmp_path, *job) == []
    assert checked(tmp_path, *job, NCCL_SOCKET_IFNAME="eth99") == ["setup.nccl_no_interface"]
    assert checked(tmp_path, "--elsewhere", *job, NCCL_SOCKET_IFNAME="eth99") == []
    assert checked(tmp_path, "torchrun", "--nproc-per-node", "2", "nosuch.py") == ["path.script"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "setup.port_in_use" in checked(tmp_path, "torchrun", "--master-port", port, "--nproc-per-node", "2", "train.py")
    job_of_two = ["torchrun", "--nnodes", "2", "--node-rank", "0", "--master-addr", "10.0.0.1", "nosuch.py"]
    assert "path.script" not in checked(tmp_path, *job_of_two)
    for elsewhere in (["singularity", "exec", "x.sif"], ["ray", "job", "submit", "--"], ["ssh", "node1"]):
        assert "path.script" not in checked(tmp_path, "mpirun", "-np", "2", *elsewhere, "python", "/in/image.py"), elsewhere


def test_facts_go_into_a_folder_or_a_file_and_check_takes_both(tmp_path):
    (tmp_path / "train.py").touch()
    assert type_in(tmp_path, "facts", "-o", "folder/").returncode == 0 and len(list((tmp_path / "folder").glob("*.json"))) == 1
    assert type_in(tmp_path, "facts", "-o", "file").returncode == 0 and (tmp_path / "file").is_file()
    for facts in ("folder", "folder/", "file"):
        found = checked(tmp_path, "--facts", facts, "torchrun", "--standalone", "train.py", GLOO_SOCKET_IFNAME="eth99")
        assert found == ["setup.gloo_interface"], facts


# The service


@pytest.fixture
def folder(tmp_path):
    yield tmp_path / "s"
    Service(tmp_path / "s").end()


def test_submit_names_what_was_typed(folder, tmp_path):
    done = lockstep(folder, "submit", "nosuch.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "lockstep: cannot submit: nosuch.py: no such file\n")
    (tmp_path / "train.py").write_text("print(1)\n")
    done = lockstep(folder, "submit", "train.py", "--workers", "0", cwd=tmp_path)
    assert done.returncode == 2 and "--workers must be" in done.stderr and "/workers" not in done.stderr, done.stderr


def test_submit_tells_what_happens_and_jobs_takes_the_beginning_of_a_name(folder, tmp_path):
    done = lockstep(folder, "submit", "--wait", "--workers", "2", "--", "/bin/sh", "-c", "exit $RANK", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    order = [done.stderr.index(f"lockstep: {kind}: ") for kind in ("queued", "started", "failed")]
    assert order == sorted(order), done.stderr
    [name] = set(re.findall(r"job_[0-9a-z]{26}", done.stderr))
    for typed in (name[:14], name[4:14], name):
        shown = lockstep(folder, "jobs", typed)
        assert name in shown.stdout and re.search(r"  \S+  started: attempt 1 with 2 ranks\n", shown.stdout), shown.stdout + shown.stderr
    assert "no such job" in lockstep(folder, "jobs", "zzzzzz").stderr
    assert lockstep(folder, "jobs", "--names").stdout == name + "\n"
    logs = lockstep(folder, "logs", name[:14])
    assert logs.returncode == 0, logs.stderr


def test_a_users_error_is_not_tried_twice_and_is_the_reason(folder, tmp_path):
    python = python_with_native_half()
    request = [str(JOB), "--workers", "3", "--wait", "--retries", "2", "--json", "--", "fail"]
    environ = os.environ | {"PATH": f"{python.parent}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    done = lockstep(folder, "submit", *request, cwd=tmp_path, environ=environ)
    job = json.loads(done.stdout)
    assert (job["state"], job["attempts"]) == ("FAILED", 1), done.stderr
    assert "ValueError" in job["reason"] or "sample 17" in job["reason"], job["reason"]
    assert job["reason"] in lockstep(folder, "jobs").stdout and job["reason"] in done.stderr


def test_names_of_jobs_are_listed_without_starting_a_service(tmp_path):
    done = type_in(tmp_path, "jobs", "--names", "--state", "none")
    assert (done.returncode, done.stdout) == (0, "") and not (tmp_path / "none").exists()


# Help, version and completion


def test_help_is_in_groups_and_the_version_has_three_ways(tmp_path):
    text = type_in(tmp_path, "help").stdout
    heads = [text.index(f"\n{head}:\n") for head in ("Start here", "Watch", "Go deeper", "Run jobs for me", "Reference")]
    assert heads == sorted(heads)
    assert len({type_in(tmp_path, word).stdout for word in ("version", "-V", "--version")}) == 1
    assert "setup.port_in_use\n" in type_in(tmp_path, "explain", "--codes").stdout


def test_bash_completes_codes_jobs_and_demos(tmp_path):
    script = LOCKSTEP.parent / "share/bash-completion/completions/lockstep"
    environ = os.environ | {"PATH": f"{LOCKSTEP.parent}:{os.environ['PATH']}"}
    for words, expected in (("explain setup.port_in", "setup.port_in_use"), ("demo strag", "straggler")):
        done = subprocess.run(["bash", "-c", f'. "{script}"; COMP_WORDS=(lockstep {words}); COMP_CWORD=2; _lockstep; echo "${{COMPREPLY[*]}}"'],
                              capture_output=True, text=True, env=environ, timeout=LIMIT_S)
        assert done.stdout.strip() == expected, done.stderr


# A clone


def test_a_clone_that_was_moved_is_configured_anew(tmp_path):
    clone = tmp_path / "a"
    (clone / "tools").mkdir(parents=True)
    shutil.copy(REPOSITORY / "tools/configure_release", clone / "tools")
    (clone / "tools/install_deps").write_text("#!/bin/sh\n")
    (clone / "tools/install_deps").chmod(0o755)
    shutil.copy(REPOSITORY / "CMakePresets.json", clone)
    (clone / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(clone NONE)\n")
    for _ in range(2):
        made = subprocess.run(["tools/configure_release"], cwd=clone, capture_output=True, text=True, timeout=LIMIT_S)
        assert made.returncode == 0 and "another place" not in made.stderr, made.stderr
    moved = clone.rename(tmp_path / "b")
    made = subprocess.run(["tools/configure_release"], cwd=moved, capture_output=True, text=True, timeout=LIMIT_S)
    assert made.returncode == 0 and "made for another place" in made.stderr, made.stderr
    assert f"CMAKE_HOME_DIRECTORY:INTERNAL={moved}\n" in (moved / "build/release/CMakeCache.txt").read_text()
