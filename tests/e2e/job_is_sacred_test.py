"""Whatever happens to `lockstep run`, the job's exit status, signals and output are its own: jobs without a rank, one
with and one without it."""

import concurrent.futures
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import termios
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
    if hasattr(signal.Signals, name)] + [signal.SIGRTMIN, signal.SIGRTMIN + 3, signal.SIGRTMIN + 15, signal.SIGRTMAX - 3, signal.SIGRTMAX - 1]

# Comes after the signal that is tested, and is taken after it: of those that are pending, the lowest number is.
LAST = signal.SIGRTMAX
# Handles every signal: says which came.
HANDLES = """
import os, signal, sys, time
def on(number, frame):
    os.write(1, b"got %d\\n" % number)
    sys.exit(21)
signal.signal(int(sys.argv[1]), on)
os.write(1, b"ready\\n")
while True:
    time.sleep(0.05)
"""
# Leaves every signal as it is, and ends with the last.
HANDLES_NOTHING = """
import os, signal, sys, time
for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
signal.signal(signal.SIGRTMAX, lambda number, frame: sys.exit(22))
os.write(1, b"ready\\n")
while True:
    time.sleep(0.05)
"""
# Answers SIGUSR1, and ends by SIGUSR2. No shell: while one starts a program, it cannot be stopped.
ANSWERS = """
import os, signal, time
def end(number, frame):
    os.write(1, b"finished\\n")
    os._exit(3)
signal.signal(signal.SIGUSR1, lambda number, frame: os.write(1, b"here\\n"))
signal.signal(signal.SIGUSR2, end)
%s
os.write(1, b"ready\\n")
while True:
    time.sleep(0.05)
"""


def under_run(folder, command, *flags):
    return [str(LOCKSTEP), "run", "--no-check", "-o", str(folder), *flags, "--", *command]


def python(script, *arguments):
    return [sys.executable, "-S", "-c", script, *map(str, arguments)]


def status_as_a_shell_has_it(code):
    return 128 - code if code < 0 else code


def outcome(script, command, number, wait_for=READY):
    """What a job prints and ends with that is sent a signal once it is ready."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as job:
        assert job.stdout.readline() == wait_for
        job.send_signal(number)
        if script is HANDLES_NOTHING:
            job.send_signal(LAST)
        printed = job.stdout.read()
        return printed, status_as_a_shell_has_it(job.wait(timeout=300))


@pytest.mark.parametrize("script", [HANDLES, HANDLES_NOTHING], ids=["handled", "unhandled"])
def test_every_signal_has_the_same_effect_as_without(script, tmp_path):
    def both(number):
        command = python(script, int(number))
        recorded = under_run(tmp_path / str(int(number)), command)
        return number, outcome(script, command, number), outcome(script, recorded, number)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        different = [f"{number!r}: {bare} without, {recorded} with" for number, bare, recorded in pool.map(both, SIGNALS)
                     if bare != recorded]
    assert not different
    assert len(SIGNALS) >= 30


def test_a_job_that_ends_by_a_signal_of_its_own_ends_by_it(tmp_path):
    """Every one that there is, SIGKILL too; those that end nothing leave it to exit."""
    numbers = sorted(signal.valid_signals() - {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})
    script = "import os, signal, sys; n = int(sys.argv[1]); n == 9 or signal.signal(n, signal.SIG_DFL); os.kill(os.getpid(), n); sys.exit(23)"

    def both(number):
        ends = [status_as_a_shell_has_it(subprocess.run(command, timeout=240, capture_output=True).returncode) for command in
                (python(script, int(number)), under_run(tmp_path / str(int(number)), python(script, int(number))))]
        return number, *ends

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        different = [f"{number!r}: {bare} without, {recorded} with" for number, bare, recorded in pool.map(both, numbers) if bare != recorded]
    assert not different
    assert len(numbers) >= 58


def test_ignored_and_blocked_signals_are_inherited(tmp_path):
    # posix_spawn() has 32 and 33 ignored, which the C library keeps for itself.
    shows = ("import re; t = open('/proc/self/status').read(); "
             "print([hex(int(bits, 16) & ~(3 << 31)) for bits in re.findall(r'Sig(?:Blk|Ign):\\s*(\\w+)', t)])")

    def printed(command):
        def change():
            for number in (signal.SIGUSR1, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])
        return subprocess.run(command, stdout=subprocess.PIPE, preexec_fn=change, timeout=240, check=True).stdout

    bare = printed(python(shows))
    assert printed(under_run(tmp_path / "recording", python(shows))) == bare


@pytest.mark.parametrize("flags", [[], ["-q"]])
def test_an_ignored_sigchld_does_not_hang_it(flags, tmp_path):
    done = subprocess.run(under_run(tmp_path / "recording", ["sh", "-c", "exit 5"], *flags), timeout=240, capture_output=True,
                          preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert done.returncode == 5


@pytest.mark.parametrize("script, status", [("exit 5", 5), ("kill -9 $$", 137), ("exit 42 > /dev/null", 42)])
def test_a_silent_job_has_its_own_status(script, status, tmp_path):
    done = subprocess.run(under_run(tmp_path / "recording", ["sh", "-c", script]), timeout=240, capture_output=True)
    assert done.returncode == status


def test_a_removed_recording_changes_nothing(tmp_path):
    folder = tmp_path / "recording"
    done = subprocess.run(under_run(folder, ["sh", "-c", f"rm -r {folder}; echo out; exit 0"]), timeout=240, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"out\n")


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs a file system of its own")
def test_a_full_disk_changes_nothing(tmp_path):
    job = under_run("disk/recording", ["sh", "-c", "yes | head -c 3000000; exit 0"])
    script = f"mount -t tmpfs -o size=1m tmpfs disk && {' '.join(map(str, job[:-3]))} sh -c '{job[-1]}' | wc -c; exit ${{PIPESTATUS[0]}}"
    (tmp_path / "disk").mkdir()
    done = subprocess.run(["unshare", "-m", "bash", "-c", script], cwd=tmp_path, timeout=240, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"3000000\n")


def children_of(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def both_children_of(run):
    """The supervisor and the watcher: the job may run before the second is there."""
    assert wait_until(lambda: len(children_of(run)) == 2)
    return children_of(run)


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


def wait_until(condition, seconds=240):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    return condition()


def test_the_job_goes_on_without_its_watcher(tmp_path):
    folder = tmp_path / "recording"
    with subprocess.Popen(under_run(folder, python(ANSWERS % "")), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.readline() == READY
        supervisor, watcher = both_children_of(run.pid)
        assert set(processes_with(folder)) & set(children_of(supervisor))
        os.kill(watcher, signal.SIGKILL)
        assert wait_until(lambda: children_of(run.pid) == [supervisor])
        run.send_signal(signal.SIGUSR2)
        out, err = run.communicate(timeout=300)
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
        run.communicate(timeout=300)
    assert run.returncode == (137 if which == "supervisor" else -9)
    assert wait_until(lambda: not processes_with(folder))


def test_a_signal_to_every_process_of_a_step_is_one_signal(tmp_path):
    """As systemd and some schedulers do: it reaches the job, and once, whichever process has it first."""
    script = ANSWERS % "signal.signal(signal.SIGTERM, lambda number, frame: os.write(1, b'saving\\n'))"

    def outcome_of_a_step(count):
        job = under_run(tmp_path / str(count), python(script))
        with subprocess.Popen(job, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            assert run.stdout.readline() == READY
            supervisor, watcher = both_children_of(run.pid)
            pids = [run.pid, supervisor, watcher, *children_of(supervisor)]
            for pid in pids if count % 2 else reversed(pids):
                os.kill(pid, signal.SIGTERM)
            if not select.select([run.stdout], [], [], 30)[0]:
                run.kill()
            said = run.stdout.readline()
            run.send_signal(signal.SIGUSR2)
            out, _ = run.communicate(timeout=300)
            return run.returncode, said + out

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(outcome_of_a_step, range(60)))
    assert outcomes == [(3, b"saving\nfinished\n")] * 60


def test_a_signal_right_after_the_start_does_not_end_the_watcher(tmp_path):
    def what_is_said(count):
        job = under_run(tmp_path / str(count), ["sleep", "1000"])
        with subprocess.Popen(job, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as run:
            both_children_of(run.pid)
            os.killpg(run.pid, signal.SIGINT)
            if not wait_until(lambda: run.poll() is not None):
                os.killpg(run.pid, signal.SIGINT)
            return run.communicate(timeout=300)[1]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = list(pool.map(what_is_said, range(40)))
    assert not [text for text in said if b"the watcher was ended" in text]


def test_a_signal_reaches_the_job_though_nobody_reads_its_output(tmp_path):
    """As under a pager, or a launcher that was stopped: without lockstep the job is as stuck, and hears signals."""
    saved = tmp_path / "saved"
    script = (f"import os, pathlib, signal\ndef save(number, frame):\n    pathlib.Path({str(saved)!r}).touch()\n    os._exit(4)\n"
              "signal.signal(signal.SIGUSR1, save)\nwhile True: os.write(1, b'x' * 65536)\n")
    with subprocess.Popen(under_run(tmp_path / "recording", python(script)), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        waiting = lambda: int.from_bytes(fcntl.ioctl(run.stdout, termios.FIONREAD, bytes(4)), sys.byteorder)
        assert wait_until(lambda: waiting() >= fcntl.fcntl(run.stdout, fcntl.F_GETPIPE_SZ))
        job = children_of(children_of(run.pid)[0])[0]
        time.sleep(0.5)  # what could still move has moved: the job waits to write
        assert wait_until(lambda: pathlib.Path(f"/proc/{job}/syscall").read_text().startswith("1 0x1 "))
        run.send_signal(signal.SIGUSR1)
        assert wait_until(saved.exists)
        out, _ = run.communicate(timeout=60)
    assert run.returncode == 4 and set(out) == set(b"x")


def test_a_recording_that_the_job_replaced_is_not_judged(tmp_path):
    """A link in its place may lead to all that there is."""
    folder = tmp_path / "recording"
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.log").write_text("torch.cuda.OutOfMemoryError: CUDA out of memory.\n")
    script = f"rm -r {folder}; ln -s {other} {folder}; echo out; exit 6"
    done = subprocess.run(under_run(folder, ["sh", "-c", script]), timeout=60, capture_output=True)
    assert (done.returncode, done.stdout) == (6, b"out\n")
    assert b"the recording is gone" in done.stderr and b"out of memory" not in done.stderr.lower(), done.stderr
    assert [path.name for path in other.iterdir()] == ["a.log"], "nothing is written there"


def test_what_was_to_be_ignored_asks_the_job_for_nothing(tmp_path):
    """As under nohup, when the session ends that it was started in."""
    folder = tmp_path / "recording"
    with subprocess.Popen(under_run(folder, python(ANSWERS % "")), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as run:
        assert run.stdout.readline() == READY
        both_children_of(run.pid)
        for _ in range(4):
            os.killpg(run.pid, signal.SIGHUP)
            run.send_signal(signal.SIGUSR1)
            assert run.stdout.readline() == b"here\n"
        run.send_signal(signal.SIGUSR2)
        out, err = run.communicate(timeout=300)
    assert (run.returncode, out) == (3, b"finished\n")
    assert b"the watcher was ended" not in err and b"sched." not in err


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_it_stops_and_goes_on_with_the_job(tmp_path):
    folder = tmp_path / "recording"
    with subprocess.Popen(under_run(folder, python(ANSWERS % "")), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.readline() == READY
        main = children_of(children_of(run.pid)[0])[0]
        run.send_signal(signal.SIGTSTP)
        assert wait_until(lambda: state_of(main) == "T" and state_of(run.pid) == "T")
        run.send_signal(signal.SIGCONT)
        assert wait_until(lambda: state_of(main) != "T" and state_of(run.pid) != "T")
        run.send_signal(signal.SIGUSR2)
        out, _ = run.communicate(timeout=300)
    assert (run.returncode, out) == (3, b"finished\n")


# A shell of one job in the foreground: says when it is stopped, and lets it go on when told by a line.
SHELL = """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
pid = os.fork()
if pid == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    print(f"<pid {os.getpid()}>", flush=True)
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    state = os.waitpid(pid, os.WUNTRACED)[1]
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(state):
        print(f"<ended {os.waitstatus_to_exitcode(state)}>", flush=True)
        break
    print("<stopped>", flush=True)
    sys.stdin.readline()
    os.tcsetpgrp(0, pid)
    os.killpg(pid, signal.SIGCONT)
"""
CTRL_Z = b"\x1a"


class Terminal:
    """A shell's, with one job."""

    def __init__(self, folder, script):
        self.text = b""
        self.shell, self.master = pty.fork()
        if self.shell == 0:
            os.execv(sys.executable, python(SHELL, *under_run(folder, python(script))))
        self.run = int(self.wait_for(rb"<pid (\d+)>")[1])
        self.wait_for(b"ready")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            os.kill(self.run, signal.SIGKILL)  # the supervisor ends the rest
        except ProcessLookupError:
            pass
        os.kill(self.shell, signal.SIGKILL)
        os.waitpid(self.shell, 0)
        os.close(self.master)

    def type(self, keys):
        os.write(self.master, keys)

    def wait_for(self, pattern, seconds=240):
        """What is found is taken, with all before it."""
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text)):
            left = end - time.monotonic()
            assert left > 0 and select.select([self.master], [], [], left)[0], f"no {pattern} in {self.text}"
            self.text += os.read(self.master, 65536)
        self.text = self.text[found.end():]
        return found


def test_ctrl_z_stops_it_with_the_job_and_fg_wakes_both(tmp_path):
    with Terminal(tmp_path / "recording", ANSWERS % "") as terminal:
        processes = [terminal.run, *both_children_of(terminal.run)]
        terminal.type(CTRL_Z)
        terminal.wait_for(b"<stopped>")
        assert wait_until(lambda: [state_of(pid) for pid in processes] == ["T"] * 3)
        terminal.type(b"fg\n")
        assert wait_until(lambda: "T" not in [state_of(pid) for pid in processes])
        os.kill(terminal.run, signal.SIGUSR2)
        terminal.wait_for(b"finished")
        terminal.wait_for(b"<ended 3>")


def test_ctrl_z_stops_nothing_when_the_job_ignores_it(tmp_path):
    with Terminal(tmp_path / "recording", ANSWERS % "signal.signal(signal.SIGTSTP, signal.SIG_IGN)") as terminal:
        both_children_of(terminal.run)
        terminal.type(CTRL_Z)
        os.kill(terminal.run, signal.SIGUSR1)
        terminal.wait_for(b"here")
        os.kill(terminal.run, signal.SIGUSR2)
        terminal.wait_for(b"<ended 3>")


def test_ctrl_z_stops_it_also_after_the_job(tmp_path):
    with Terminal(tmp_path / "recording", ANSWERS % "") as terminal:
        supervisor, watcher = both_children_of(terminal.run)
        os.kill(watcher, signal.SIGSTOP)  # a verdict that takes long
        os.kill(terminal.run, signal.SIGUSR2)
        assert wait_until(lambda: supervisor not in children_of(terminal.run))
        terminal.type(CTRL_Z)
        terminal.wait_for(b"<stopped>")
        assert wait_until(lambda: state_of(watcher) == "T")
        terminal.type(b"fg\n")
        terminal.wait_for(b"<ended 3>")


def test_a_job_whose_reader_is_gone_ends_as_without(tmp_path):
    def status(command):
        return subprocess.run(["bash", "-c", '"$@" | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}', "-", *command], timeout=240,
                              stderr=subprocess.DEVNULL, check=False).returncode

    bare = ["sh", "-c", "trap - PIPE; while :; do echo line; done"]
    assert status(under_run(tmp_path / "recording", bare)) == status(bare)
