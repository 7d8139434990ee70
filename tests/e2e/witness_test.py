"""What is collected from live processes: in every state they can be in, none dies of it, and none is waited for long."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from harness import process_tree
from harness.flight_runs import FAULTY, QUIET_S, RANKS, RUNS, STEPS_BEFORE
from harness.job_run import JobRun
from harness.registry import REPOSITORY, load_registry
from harness.run_spec import RunSpec
from recordings import BUILD, diagnose

LIBRARY = BUILD / "recorder/liblockstep.so"
WITNESS = os.environ.get("WITNESS_PROGRAM", str(BUILD / "tests/e2e/witness_program"))
PROGRAMS = pathlib.Path(__file__).with_name("witness_programs.py")
HOOK = REPOSITORY / "adapters/python"
SIGNAL = 50
LONGEST_S = 30  # two seconds are promised to an idle machine; a busy one does not wait for ever
PATIENCE_S = 240
OFFER = {"LOCKSTEP_STACK_SIGNAL": str(SIGNAL), "PYTHONPATH": str(HOOK)}


@contextlib.contextmanager
def program(name, place, **environ):
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("LOCKSTEP", "PYTHON"))}
    started = subprocess.Popen(["/usr/bin/python3", str(PROGRAMS), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=inherited | OFFER | {"PLACE": str(place)} | environ)
    try:
        assert started.stdout.readline() == b"ready\n"
        yield started.pid
    finally:
        for pid in [*process_tree.descendants(started.pid), started.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        started.communicate()


def wait_until(is_so, what):
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.005)


def waits_in(pid, function):
    return function in pathlib.Path(f"/proc/{pid}/wchan").read_text()


def collect(folder, pids, *flags):
    said = subprocess.run([WITNESS, str(folder), *flags, *(f"{rank}:{pid}" for rank, pid in pids.items())],
                          capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    account = json.loads(said.stdout)
    account["limits"] = [limit for limit in account["limits"] if "the kernel's log" not in limit]  # for root alone
    return account


def stacks_of(folder, rank, kind="python"):
    path = folder / "stacks" / f"rank_{rank:05}.restart_0.{kind}.txt"
    return path.read_text() if path.exists() else None


def functions_of(stacks):
    return re.findall(r'File "[^"]*", line \d+ in (\S+)', stacks)


@pytest.mark.parametrize("name, function", [("in_c_without_the_lock", "load_batch"),
                                            ("in_c_with_the_lock", "compute_for_ever"),
                                            ("after_exec", "load_batch")])
def test_a_process_that_waits_in_c_tells_its_stacks(tmp_path, name, function):
    with program(name, tmp_path) as pid:
        wait_until(lambda: waits_in(pid, "futex"), "it waits")
        for _ in range(2):  # a second account is whole, and holds the first no more
            account = collect(tmp_path, {3: pid})
            assert account["limits"] == [] and account["collect_s"] < LONGEST_S
            assert functions_of(stacks_of(tmp_path, 3)).count(function) == 1
        assert waits_in(pid, "futex"), "the signal ended the wait"
    facts = account["processes"][0]
    assert (facts["rank"], facts["pid"], facts["state"]) == (3, pid, "sleeps")
    assert facts["thread_count"] == len(facts["threads"]) and facts["resident_bytes"] > 1 << 20


def test_the_threads_are_all_told(tmp_path):
    with program("in_c_with_the_lock", tmp_path) as pid:
        wait_until(lambda: waits_in(pid, "futex"), "it waits")
        collect(tmp_path, {0: pid})
    assert stacks_of(tmp_path, 0).count("hread 0x") == 2
    assert "_bootstrap" in functions_of(stacks_of(tmp_path, 0))


REASONS = {
    "after_closing_everything": "it offers none",
    "waiting_for_a_signal": "none of its threads takes a signal now",
    "with_all_signals_held_back": "none of its threads takes a signal now",
}


@pytest.mark.parametrize("name", REASONS)
def test_a_process_that_cannot_be_asked_is_left_alone(tmp_path, name):
    with program(name, tmp_path) as pid:
        place = "sigtimedwait" if name == "waiting_for_a_signal" else "futex"
        wait_until(lambda: waits_in(pid, place), "it waits")
        account = collect(tmp_path, {3: pid})
        assert account["limits"] == [limit for limit in account["limits"] if REASONS[name] in limit] != []
        assert account["collect_s"] < LONGEST_S
        assert waits_in(pid, place), "it was disturbed"
    assert stacks_of(tmp_path, 3) is None
    if name == "after_closing_everything":
        assert (tmp_path / "mine").read_text() == ""


def test_of_a_program_that_is_not_python_no_python_stacks_are_missed(tmp_path):
    with program("in_a_program_that_is_not_python", tmp_path) as pid:
        wait_until(lambda: waits_in(pid, "nanosleep"), "it sleeps")
        account = collect(tmp_path, {0: pid})
        assert account["limits"] == [] and account["processes"][0]["name"] == "sleep"
        assert waits_in(pid, "nanosleep")


def test_a_process_without_the_offer_is_left_alone(tmp_path):
    with program("in_c_without_the_lock", tmp_path, LOCKSTEP_STACK_SIGNAL="") as pid:
        wait_until(lambda: waits_in(pid, "futex"), "it waits")
        assert "it offers none" in collect(tmp_path, {0: pid})["limits"][0]
        assert waits_in(pid, "futex")


def test_another_thread_speaks_for_one_that_may_not_be_disturbed(tmp_path):
    with program("waiting_for_a_signal_beside_a_thread", tmp_path) as pid:
        wait_until(lambda: waits_in(pid, "sigtimedwait"), "it waits")
        assert collect(tmp_path, {0: pid})["limits"] == []
        assert waits_in(pid, "sigtimedwait"), "it took the signal for its own"
    assert "waiting_for_a_signal" in functions_of(stacks_of(tmp_path, 0))


def test_another_thread_speaks_for_one_that_waits_in_the_kernel(tmp_path):
    with program("in_the_kernel", tmp_path) as pid:
        wait_until(lambda: process_tree.state_of(pid) == "D", "it waits in the kernel")
        account = collect(tmp_path, {0: pid})
        assert account["processes"][0]["state"] == "waits in the kernel and cannot be woken"
        assert account["limits"] == []
    assert "in_the_kernel" in functions_of(stacks_of(tmp_path, 0))


def test_a_stopped_a_dead_and_an_ended_process_are_told_apart(tmp_path):
    ended = subprocess.Popen(["/bin/true"])
    with program("in_c_without_the_lock", tmp_path) as stopped:
        os.kill(stopped, signal.SIGSTOP)
        wait_until(lambda: process_tree.state_of(stopped) == "T", "it is stopped")
        wait_until(lambda: process_tree.state_of(ended.pid) == "Z", "it has ended")
        account = collect(tmp_path, {0: stopped, 1: ended.pid, 2: 2**22 + 1})
        assert account["collect_s"] < LONGEST_S
        os.kill(stopped, signal.SIGCONT)
        wait_until(lambda: waits_in(stopped, "futex"), "it goes on")
    ended.wait()
    reasons = ["is stopped by a signal", "has ended", "is gone"]
    assert [process["state"] for process in account["processes"]] == reasons
    assert all(limit.endswith(f"no Python stacks: it {reason}") for limit, reason in zip(account["limits"], reasons))
    assert len(account["limits"]) == 3


def test_a_forked_child_tells_its_own(tmp_path):
    with program("with_a_forked_child", tmp_path) as pid:
        wait_until(lambda: process_tree.descendants(pid), "it forks")
        child = process_tree.descendants(pid)[0]
        wait_until(lambda: waits_in(pid, "futex") and waits_in(child, "futex"), "both wait")
        assert collect(tmp_path, {0: pid, 1: child})["limits"] == []
    assert "wait_as_child" not in functions_of(stacks_of(tmp_path, 0))
    assert "wait_as_child" in functions_of(stacks_of(tmp_path, 1))


def test_a_read_goes_on_after_the_signal(tmp_path):
    with program("read_input", tmp_path) as pid:
        wait_until(lambda: waits_in(pid, "pipe_read"), "it reads")
        assert collect(tmp_path, {0: pid})["limits"] == []
        assert waits_in(pid, "pipe_read")


def test_native_stacks_are_told_when_asked_for(tmp_path):
    with program("in_c_without_the_lock", tmp_path) as pid:
        wait_until(lambda: waits_in(pid, "futex"), "it waits")
        account = collect(tmp_path, {0: pid}, "--native")
        assert account["limits"] == []
        assert re.search(r"^#\d+ .*sem_wait", stacks_of(tmp_path, 0, "native"), re.MULTILINE)
        wait_until(lambda: process_tree.state_of(pid) == "S", "it goes on")


# -- real jobs ------------------------------------------------------------------------------------

def recorder(folder):
    return OFFER | {"LOCKSTEP_RECORD": str(folder), "LOCKSTEP_LIBRARY": str(LIBRARY)}


def pids_of(run):
    return {rank: run.ranks[rank].pid for rank in range(run.spec.ranks)}


def test_a_hang_over_gloo_is_explained_by_its_stacks(tmp_path):
    recording, fault = tmp_path / "recording", RUNS["missing_rank"]
    spec = RunSpec(load_registry()[fault.job], "env", ranks=RANKS, steps=fault.steps, timeout_s=300,
                   environ=recorder(recording) | fault.environ)
    with JobRun(spec, tmp_path / "run") as run:
        run.wait_for(FAULTY, STEPS_BEFORE)
        run.wait_quiet(QUIET_S)
        account = collect(recording, pids_of(run))
        assert account["limits"] == [] and account["collect_s"] < LONGEST_S
        run.end()
    assert all("all_reduce" in stacks_of(recording, rank) for rank in range(RANKS) if rank != FAULTY)
    verdict = diagnose(recording)
    first = verdict["findings"][0]
    assert (first["code"], first["root_ranks"]) == ("desync.missing_rank", [FAULTY]), verdict
    texts = [evidence["text"] for evidence in first["evidence"] if evidence.get("rank") == FAULTY]
    assert any(re.match(r"torch_faults.py:\d+ in data_never_comes", text) for text in texts), texts
    assert f"Rank {FAULTY} is at torch_faults.py:" in first["explanation"]
    assert [limit for limit in verdict["limits"] if "the kernel's log" not in limit] == []


def test_a_healthy_job_that_is_asked_again_and_again_gives_the_same_results_and_a_silent_verdict(tmp_path):
    job = load_registry()["torch_ddp"]
    plain = RunSpec(job, "env", ranks=2, steps=40, seed=7, timeout_s=300)
    asked = RunSpec(job, "env", ranks=2, steps=40, seed=7, timeout_s=300, environ=recorder(tmp_path))
    with JobRun(plain) as run:
        expected = run.wait()
    dumps = 0
    with JobRun(asked) as run:
        for step in range(0, 36, 4):
            run.wait_for(0, step)
            collect(tmp_path, pids_of(run))
            dumps += len(list((tmp_path / "stacks").iterdir()))
        result = run.wait()
    assert dumps >= 10  # a process without new stacks has no file
    assert result.status == 0 and (result.losses, result.params) == (expected.losses, expected.params)
    assert diagnose(tmp_path)["findings"] == []
