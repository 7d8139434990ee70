"""`lockstep top` in a real terminal: keys, sizes, signals, and the terminal given back as it was; over a real job that hangs."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from harness.job_run import JobRun
from harness.run_spec import RunSpec
from pty_session import PATIENCE_S, PtySession
from recordings import BUILD, LOCKSTEP

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ADAPTER = BUILD / "adapters" / "mpi" / "liblockstep_mpi.so"
RECORDING = ROOT / "tests" / "cases" / "top" / "a_job_that_has_ended_as_text" / "input" / "run"


@pytest.fixture
def top():
    with PtySession([LOCKSTEP, "top", RECORDING]) as session:
        session.wait_for("? help")
        yield session


def row_of(text: str, rank: int) -> str:
    found = re.search(rf"^{rank} +\S.*$", text, re.MULTILINE)
    return found[0] if found else ""


def test_keys_turn_pages_and_q_leaves_everything_as_it_was(top):
    assert top.screen.is_alternate and not top.screen.has_cursor
    assert row_of(top.screen.text, 3).split()[:2] == ["3", "ended"]
    top.type("w")
    top.wait_for("Who waits for whom")
    top.type("\x1b")
    top.wait_for("sort:state")
    top.type("s")
    top.wait_for("sort:rank")
    top.type("r")
    top.wait_for("sort:rank up")
    top.type("\r")
    top.wait_for("Rank 3 on node-a, process 4711")
    top.type("?")
    top.wait_for("sort the other way round")
    top.type("q")
    assert top.wait() == 0
    assert top.is_as_before()


def test_a_sequence_is_one_key_and_an_escape_alone_another(top):
    """In which pieces it arrives is the unit test's matter (key_decoder_test): here the machine may pause between two."""
    top.type("?")
    top.wait_for("Keys")
    top.type(b"\x1b[6~")
    top.type("\x1b")
    top.wait_for("sort:state")
    top.type("\x03")
    assert top.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_it_and_the_terminal_is_as_before(top, number):
    os.kill(top.pid, number)
    assert top.wait() == 128 + number
    assert top.is_as_before()


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL])
def test_a_crash_leaves_the_terminal_as_before(top, number):
    os.kill(top.pid, number)
    assert top.wait() == -number
    assert top.is_as_before()


def test_another_size_is_drawn_at_once_and_in_full(top):
    top.resize(120, 40)
    top.wait_for(lambda text: "? help" in text.split("\n")[39] and " HOST " in text, "the larger screen")
    top.resize(40, 10)
    top.wait_for(lambda text: "q quit" in text.split("\n")[9], "the smaller screen")
    top.resize(3, 2)
    top.resize(80, 24)
    top.wait_for(lambda text: "? help" in text.split("\n")[23], "the first screen")
    top.type("q")
    assert top.wait() == 0 and top.is_as_before()


def test_a_screen_that_does_not_change_is_not_sent_again(top):
    top.wait_for("the job has ended")
    before = len(top.sent)
    end = time.monotonic() + 2
    while time.monotonic() < end:
        top.read(end - time.monotonic())
    assert len(top.sent) == before, top.sent[before:]


def test_a_terminal_that_takes_nothing_more_does_not_hold_it(top):
    top.type(b"\x0c" * 4000)  # draw anew, and nobody reads
    time.sleep(1)
    top.type("q")
    end = time.monotonic() + PATIENCE_S
    while (status := os.waitpid(top.pid, os.WNOHANG)) == (0, 0):
        assert time.monotonic() < end, "it waits for a terminal that takes nothing"
        time.sleep(0.05)
    top.status = os.waitstatus_to_exitcode(status[1])
    assert top.status == 0


def test_colours_are_left_out_where_they_are_not_welcome():
    coloured = re.compile(rb"\x1b\[[0-9;]*3[0-9][;m]")
    with PtySession([LOCKSTEP, "top", RECORDING]) as session:
        session.wait_for("? help")
        assert coloured.search(session.sent)
    with PtySession([LOCKSTEP, "top", RECORDING], NO_COLOR="1") as session:
        session.wait_for("? help")
        assert not coloured.search(session.sent)


def test_a_dumb_terminal_is_refused_and_left_alone():
    with PtySession([LOCKSTEP, "top", RECORDING], TERM="dumb") as session:
        assert session.wait() == 2
        assert b"--once" in session.sent and b"\x1b" not in session.sent
        assert session.is_as_before()


def shell() -> PtySession:
    return PtySession(["bash", "--norc", "--noprofile", "-i"], PS1="shell> ", HISTFILE="")


def test_it_is_suspended_and_comes_back_and_can_be_ended_in_the_background():
    with shell() as session:
        session.wait_for("shell>")
        session.type(f"{LOCKSTEP} top {RECORDING}\r")
        session.wait_for("? help")
        session.type("\x1a")
        session.wait_for(lambda text: not session.screen.is_alternate, "the shell's screen")
        assert session.screen.has_cursor
        session.screen.resize(80, 24)
        session.type("echo said; fg\r")
        session.wait_for("? help")
        assert session.screen.is_alternate
        session.type("\x1a")
        session.wait_for(lambda text: not session.screen.is_alternate, "the shell's screen")
        session.screen.resize(80, 24)
        session.type("bg; kill %1; wait %1; echo status=$?\r")
        session.wait_for(f"status={128 + signal.SIGTERM}")
        session.type("exit\r")
        session.wait()
        assert session.is_as_before()


def test_it_ends_when_its_shell_is_killed():
    with shell() as session:
        session.wait_for("shell>")
        session.type(f"{LOCKSTEP} top {RECORDING}\r")
        session.wait_for("? help")
        children = pathlib.Path(f"/proc/{session.pid}/task/{session.pid}/children").read_text().split()
        assert len(children) == 1
        os.kill(session.pid, signal.SIGKILL)
        session.wait()
        end = time.monotonic() + PATIENCE_S
        while pathlib.Path(f"/proc/{children[0]}").exists():
            assert time.monotonic() < end, "it outlives its terminal"
            time.sleep(0.05)


def test_the_latest_recording_is_the_default(tmp_path):
    shutil.copytree(RECORDING, tmp_path / "lockstep-20261115-190000")
    (tmp_path / "lockstep-latest").symlink_to("lockstep-20261115-190000")
    done = subprocess.run([LOCKSTEP, "top", "--once"], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 0 and row_of(done.stdout, 3), done.stderr


def test_a_real_job_that_hangs_is_seen_while_it_hangs(jobs, tmp_path):
    folder = tmp_path / "recording"
    environ = {"LD_PRELOAD": str(ADAPTER), "LOCKSTEP_RECORD": str(folder), "LAB_FAULT": "missing:2@4"}
    with JobRun(RunSpec(jobs["mpi_faults"], environ=environ), tmp_path / "run") as run:
        run.wait_quiet(1)
        with PtySession([LOCKSTEP, "top", folder]) as session:
            session.wait_for(lambda text: re.search(r"^1 (late|guilty)  3 waiting$", text, re.MULTILINE), "who waits")
            assert row_of(session.screen.text, 2).split()[1] == "late"
            assert "waits for 2" in row_of(session.screen.text, 0)
            session.wait_for(lambda text: re.search(r"^! .*[Rr]ank 2", text, re.MULTILINE), "the verdict")
            session.type("w")
            session.wait_for("2 is waited for")
            session.wait_for(lambda text: re.search(r"^  Wrong  ", text, re.MULTILINE), "the finding in full")
            session.type("\x1b")
            session.wait_for("sort:state")
            run.kill(2)
            run.wait()
            session.wait_for("the job has ended")
            session.wait_for(lambda text: row_of(text, 2).split()[1:2] == ["gone"], "the dead rank")
            session.type("q")
            session.wait()
            assert session.is_as_before()


def test_a_real_job_that_runs_is_seen_from_its_first_step(jobs, tmp_path):
    folder = tmp_path / "recording"
    environ = {"LD_PRELOAD": str(ADAPTER), "LOCKSTEP_RECORD": str(folder)}
    with JobRun(RunSpec(jobs["mpi_faults"], steps=20, environ=environ), tmp_path / "run") as run:
        run.wait_for(0, step=1)
        live = json.loads(subprocess.run([LOCKSTEP, "top", "--json", folder], text=True, capture_output=True).stdout)
        assert [view["rank"] for view in live["ranks"]] == [0, 1, 2, 3]
        assert run.wait().status == 0
    over = json.loads(subprocess.run([LOCKSTEP, "top", "--json", folder], text=True, capture_output=True).stdout)
    assert over["job"]["is_over"] and over["findings"] == []
    assert {view["state"] for view in over["ranks"]} == {"ended"}
    assert all(new["calls"] >= old["calls"] > 0 for old, new in zip(live["ranks"], over["ranks"]))
