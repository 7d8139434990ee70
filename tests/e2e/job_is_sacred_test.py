"""Whatever happens to `lockstep run`, the job's exit status, signals and output are its own: jobs without a rank, one
with and one without it."""

import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

from recordings import LOCKSTEP

READY = b"ready\n"
# Those that end a process that does not handle them, those that do nothing to it, and one of the real-time ones.
# SIGKILL and SIGSTOP cannot be passed on; SIGTSTP and SIGCONT are tested apart; SIGTTIN and SIGTTOU are about a terminal
# that the job does not have.
SIGNALS = [signal.Signals[name] for name in (
    "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM SIGSTKFLT "
    "SIGCHLD SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS").split()
    if hasattr(signal.Signals, name)] + [signal.SIGRTMIN + 3, signal.SIGRTMAX - 3]

# Handles every signal: says which came, and ends with a status of its own once told by SIGCONT.
HANDLES = """
import os, signal, sys
def on(number, frame):
    os.write(1, b"got %d\\n" % number)
    sys.exit(21)
signal.signal(int(sys.argv[1]), on)
os.write(1, b"ready\\n")
import time
time.sleep(2)
sys.exit(22)
"""
# Leaves every signal as it is.
HANDLES_NOTHING = """
import os, signal, sys, time
for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
os.write(1, b"ready\\n")
time.sleep(1.5)
sys.exit(22)
"""


def under_run(folder, command, *flags):
    return [str(LOCKSTEP), "run", "--no-check", "-o", str(folder), *flags, "--", *command]


def python(script, *arguments):
    return [sys.executable, "-S", "-c", script, *map(str, arguments)]


def status_as_a_shell_has_it(code):
    return 128 - code if code < 0 else code


def outcome(command, number, wait_for=READY):
    """What a job prints and ends with that is sent a signal once it is ready."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as job:
        assert job.stdout.readline() == wait_for
        time.sleep(0.2)
        job.send_signal(number)
        printed = job.stdout.read()
        return printed, status_as_a_shell_has_it(job.wait(timeout=60))


@pytest.mark.parametrize("script", [HANDLES, HANDLES_NOTHING], ids=["handled", "unhandled"])
def test_every_signal_has_the_same_effect_as_without(script, tmp_path):
    def both(number):
        command = python(script, int(number))
        return number, outcome(command, number), outcome(under_run(tmp_path / str(int(number)), command), number)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        different = [f"{number!r}: {bare} without, {recorded} with" for number, bare, recorded in pool.map(both, SIGNALS)
                     if bare != recorded]
    assert not different
    assert len(SIGNALS) >= 27


def test_ignored_and_blocked_signals_are_inherited(tmp_path):
    # posix_spawn() has 32 and 33 ignored, which the C library keeps for itself.
    shows = ("import re; t = open('/proc/self/status').read(); "
             "print([hex(int(bits, 16) & ~(3 << 31)) for bits in re.findall(r'Sig(?:Blk|Ign):\\s*(\\w+)', t)])")

    def printed(command):
        def change():
            for number in (signal.SIGUSR1, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])
        return subprocess.run(command, stdout=subprocess.PIPE, preexec_fn=change, timeout=60, check=True).stdout

    bare = printed(python(shows))
    assert printed(under_run(tmp_path / "recording", python(shows))) == bare


@pytest.mark.parametrize("flags", [[], ["-q"]])
def test_an_ignored_sigchld_does_not_hang_it(flags, tmp_path):
    done = subprocess.run(under_run(tmp_path / "recording", ["sh", "-c", "exit 5"], *flags), timeout=60, capture_output=True,
                          preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert done.returncode == 5


@pytest.mark.parametrize("script, status", [("exit 5", 5), ("kill -9 $$", 137), ("exit 42 > /dev/null", 42)])
def test_a_silent_job_has_its_own_status(script, status, tmp_path):
    done = subprocess.run(under_run(tmp_path / "recording", ["sh", "-c", script]), timeout=60, capture_output=True)
    assert done.returncode == status


def test_a_removed_recording_changes_nothing(tmp_path):
    folder = tmp_path / "recording"
    done = subprocess.run(under_run(folder, ["sh", "-c", f"rm -r {folder}; echo out; exit 0"]), timeout=60, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"out\n")


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs a file system of its own")
def test_a_full_disk_changes_nothing(tmp_path):
    job = under_run("disk/recording", ["sh", "-c", "yes | head -c 3000000; exit 0"])
    script = f"mount -t tmpfs -o size=1m tmpfs disk && {' '.join(map(str, job[:-3]))} sh -c '{job[-1]}' | wc -c; exit ${{PIPESTATUS[0]}}"
    (tmp_path / "disk").mkdir()
    done = subprocess.run(["unshare", "-m", "bash", "-c", script], cwd=tmp_path, timeout=60, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"3000000\n")


def children_of(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def processes_with(folder):
    """Of the job: they have the recording's name in their environment."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"LOCKSTEP_RECORD={folder}".encode() in process.read_bytes():
                found.append(int(process.parent.name))
        except OSError:
            pass
    return found


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_the_job_goes_on_without_its_watcher(tmp_path):
    folder = tmp_path / "recording"
    job = under_run(folder, ["sh", "-c", "echo ready; sleep 2; echo finished; exit 3"])
    with subprocess.Popen(job, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.readline() == READY
        supervisor, watcher = children_of(run.pid)
        assert set(processes_with(folder)) & set(children_of(supervisor))
        os.kill(watcher, signal.SIGKILL)
        out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (3, b"finished\n")
    assert b"the watcher was ended by signal 9; the job goes on unwatched" in err and b"lockstep diagnose" in err


@pytest.mark.parametrize("which", ["supervisor", "holder"])
def test_nothing_is_left_when_one_that_holds_it_is_killed(which, tmp_path):
    folder = tmp_path / "recording"
    script = "setsid sleep 1000 & trap '' HUP; echo ready; sleep 1000"
    with subprocess.Popen(under_run(folder, ["sh", "-c", script]), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.readline() == READY
        assert wait_until(lambda: len(processes_with(folder)) >= 3)
        os.kill(children_of(run.pid)[0] if which == "supervisor" else run.pid, signal.SIGKILL)
        run.communicate(timeout=60)
    assert run.returncode == (137 if which == "supervisor" else -9)
    assert wait_until(lambda: not processes_with(folder))


def test_a_signal_to_every_process_of_a_step_is_one_signal(tmp_path):
    """As systemd and some schedulers do: the job may take its time to save what it has."""
    folder = tmp_path / "recording"
    script = """
import os, signal, sys, time
def on(number, frame):
    time.sleep(1)
    os.write(1, b"saved\\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, on)
os.write(1, b"ready\\n")
time.sleep(60)
"""
    with subprocess.Popen(under_run(folder, python(script)), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.readline() == READY
        for pid in [run.pid, *children_of(run.pid)]:
            os.kill(pid, signal.SIGTERM)
        out, _ = run.communicate(timeout=60)
    assert (run.returncode, out) == (0, b"saved\n")


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_it_stops_and_goes_on_with_the_job(tmp_path):
    folder = tmp_path / "recording"
    with subprocess.Popen(under_run(folder, ["sh", "-c", "echo ready; sleep 2; echo finished; exit 3"]), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:
        assert run.stdout.readline() == READY
        main = children_of(children_of(run.pid)[0])[0]
        run.send_signal(signal.SIGTSTP)
        assert wait_until(lambda: state_of(main) == "T" and state_of(run.pid) == "T")
        run.send_signal(signal.SIGCONT)
        out, _ = run.communicate(timeout=60)
    assert (run.returncode, out) == (3, b"finished\n")


def test_a_job_whose_reader_is_gone_ends_as_without(tmp_path):
    def status(command):
        return subprocess.run(["bash", "-c", '"$@" | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}', "-", *command], timeout=60,
                              stderr=subprocess.DEVNULL, check=False).returncode

    bare = ["sh", "-c", "trap - PIPE; while :; do echo line; done"]
    assert status(under_run(tmp_path / "recording", bare)) == status(bare)
