"""`lockstep run` on real jobs: they are not changed by it, and the guilty rank is named while they still hang."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from recordings import LOCKSTEP, python_with_native_half, steps_of
from service_client import LONG_S, wait_until

JOB = pathlib.Path(__file__).parent / "run_jobs/ddp_with_fault.py"
RANKS = 4

# fault: codes that are right, and whether Lockstep must say so while the job still runs. How many seconds that takes is
# tests/bench/verdict_times' matter.
FAULTS = {
    "stop": (["desync.stopped_rank"], True),
    "shape": (["mismatch.shape"], True),
    "operation": (["mismatch.operation"], True),
    "early": (["desync.ended_early"], False),
    "kill": (["desync.dead_rank"], False),
    "fail": (["script.exception"], False),
}


@pytest.fixture(scope="module")
def torchrun():
    python = python_with_native_half()
    return [str(python.with_name("torchrun")), "--nproc-per-node", str(RANKS), str(JOB)]


def environ():
    return os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}


def run(folder, command, *flags, **more):
    done = subprocess.run([LOCKSTEP, "run", "-o", folder, *flags, "--", *command], capture_output=True, text=True,
                          env=environ(), timeout=LONG_S, **more)
    assert_nothing_is_left(folder)
    return done


def assert_nothing_is_left(folder):
    assert not left_of(folder)


def left_of(folder):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            found += [process] if str(folder).encode() in process.read_bytes() else []
    return found


def findings_of(folder):
    return json.loads((folder / "findings.json").read_text())["findings"]


def test_a_healthy_job_is_as_without_it(torchrun, tmp_path):
    plain = subprocess.run([*torchrun, "none"], capture_output=True, text=True, env=environ(), timeout=LONG_S)
    done = run(tmp_path / "recording", [*torchrun, "none"])
    assert plain.returncode == done.returncode == 0, done.stderr
    losses = sorted(re.findall(r"rank \d loss \S+", plain.stdout))
    assert len(losses) == RANKS and sorted(re.findall(r"rank \d loss \S+", done.stdout)) == losses
    said = [line for line in done.stderr.splitlines() if line.startswith("lockstep")]
    assert len(said) == 2 and said[0].startswith("lockstep: recording to ")
    assert re.fullmatch(rf"lockstep: nothing wrong found; 4 ranks \(pytorch 2\.\S+\) recorded in {tmp_path / 'recording'}", said[1])
    assert not (tmp_path / "recording/incomplete").exists()


@pytest.mark.parametrize("fault", FAULTS)
def test_the_guilty_rank_is_named(torchrun, tmp_path, fault):
    codes, is_said_live = FAULTS[fault]
    folder = tmp_path / "recording"
    done = run(folder, [*torchrun, fault], "--on-hang=kill")
    assert done.returncode != 0
    first = findings_of(folder)[0]
    assert first["code"] in codes and first["root_ranks"] == [2], done.stderr
    if is_said_live:
        said = re.search(r"^lockstep: [\d.]+ s: .*\((\S+)\)$", done.stderr, re.MULTILINE)
        assert said[1] in codes, done.stderr


def test_a_late_rank_is_named_and_taken_back_when_it_comes(torchrun, tmp_path):
    go_on = tmp_path / "go-on"
    command = [LOCKSTEP, "run", "-o", tmp_path / "recording", "--", *torchrun, "pause"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=environ() | {"LAB_GO_ON": str(go_on)}) as job:
        before = "".join(iter_until(job.stderr, "s: waiting: Rank 2 "))
        go_on.touch()
        said = job.stderr.read()
    assert job.returncode == 0, before + said
    assert re.search(r"^lockstep: \S+ s: rank 2 came after all", said, re.MULTILINE), before + said
    assert "nothing wrong found" in said
    assert_nothing_is_left(tmp_path / "recording")


def iter_until(lines, word):
    for line in lines:
        yield line
        if word in line:
            return


def test_a_job_that_ends_well_and_is_wrong_is_told(torchrun, tmp_path):
    folder = tmp_path / "recording"
    done = run(folder, [*torchrun, "nan"])
    assert done.returncode == 0 and "ended with status 0" in done.stderr, done.stderr
    assert findings_of(folder)[0]["code"] == "result.nan", done.stderr


def test_a_rank_that_sleeps_is_named_while_it_hangs(torchrun, tmp_path):
    command = [LOCKSTEP, "run", "-o", tmp_path / "recording", "--", *torchrun, "hang"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ()) as job:
        assert "waiting: Rank 2 is late" in list(iter_until(job.stderr, "waiting: Rank 2 is late"))[-1]
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=LONG_S)
    assert job.returncode != 0
    assert_nothing_is_left(tmp_path / "recording")
    first = findings_of(tmp_path / "recording")[0]
    assert first["code"] == "desync.missing_rank" and first["root_ranks"] == [2]
    again = subprocess.run([LOCKSTEP, "diagnose", "--json", tmp_path / "recording"], capture_output=True, text=True)
    assert json.loads(again.stdout)["findings"][0] == first, "diagnose says later what was seen then"


@pytest.mark.parametrize("number, code", [(signal.SIGINT, "sched.interrupted"), (signal.SIGTERM, "sched.death_signal")])
def test_a_healthy_job_that_is_ended_does_not_hang(torchrun, tmp_path, number, code):
    command = [LOCKSTEP, "run", "-o", tmp_path / "recording", "--", *torchrun, "healthy", "1000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ()) as job:
        wait_until(lambda: steps_of(tmp_path / "recording") > 20, "the job trains")
        job.send_signal(number)
        _, said = job.communicate(timeout=LONG_S)
    assert job.returncode != 0
    assert [finding["code"] for finding in findings_of(tmp_path / "recording")] == [code], said
    again = subprocess.run([LOCKSTEP, "diagnose", "--json", tmp_path / "recording"], capture_output=True, text=True)
    assert [finding["code"] for finding in json.loads(again.stdout)["findings"]] == [code]


def test_nothing_is_left_behind_when_it_is_killed(tmp_path):
    script = "sleep 300 & echo started; wait"
    with subprocess.Popen([LOCKSTEP, "run", "-o", tmp_path / "recording", "--", "sh", "-c", script],
                          stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout.readline() == "started\n"
        job.kill()
    wait_until(lambda: not left_of(tmp_path / "recording"), "nothing is left")


def test_status_and_streams_are_the_jobs_own(tmp_path):
    script = "echo to out; echo to err >&2; cat; exit 7"
    done = run(tmp_path / "recording", ["sh", "-c", script], "--quiet", input="from in\n")
    assert (done.returncode, done.stdout, done.stderr) == (7, "to out\nfrom in\n", "to err\n")
    done = run(tmp_path / "second", ["sh", "-c", "kill -9 $$"], "--quiet")
    assert done.returncode == 128 + 9


@pytest.mark.parametrize("arguments,message", [
    (["--", "no-such-program"], "no-such-program"),
    (["--max-record-size", "lots", "--", "true"], "--max-record-size"),
    (["--full", "--", "true"], "--full"),
    (["--on-hang", "pray", "--", "true"], "--on-hang"),
    ([], "CMD"),
])
def test_what_cannot_be_run_is_said_and_leaves_nothing(tmp_path, arguments, message):
    done = subprocess.run([LOCKSTEP, "run", *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr
    assert [path for path in tmp_path.iterdir() if path.name != "lockstep-latest"] == []


def test_a_link_leads_to_the_newest_recording(tmp_path):
    for _ in range(2):
        done = subprocess.run([LOCKSTEP, "run", "--", "true"], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    folders = sorted(path.name for path in tmp_path.iterdir() if not path.is_symlink())
    assert len(folders) == 2 and (tmp_path / "lockstep-latest").resolve().name == folders[-1]
