"""Runs the commands of a plan and outlives nothing: when it ends, no process of the job is left.

    keeper.py PLAN CONTROL_FD

The keeper stands between the harness and the job as the subreaper of all its processes, so even a
rank that was orphaned or made its own session is found. It ends the job when every command has
ended, when it is told to ("end"), or when the other end of the control socket closes, which is what
happens when the harness is killed with SIGKILL. It says what it sees as one JSON object a line:

    {"event": "started", "name": ..., "pid": ...}    {"event": "exit", "name": ..., "status": ...}
    {"event": "spent", "cpu_s": ...}                 the processor time of all of them, when the last one is gone
"""

import json
import os
import pathlib
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harness import namespaces, process_tree

GRACE_S = 5.0


class Keeper:
    def __init__(self, plan: dict, control: socket.socket):
        self._plan = plan
        self._control = control
        self._names: dict[int, str] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ, self._on_control)
        self._selector.register(_child_signal_socket(), selectors.EVENT_READ, _drain)
        self._orphaned = False
        self._ending = False

    def run(self):
        for process in self._plan["processes"]:
            if not self._start(process):
                self._ending = True
                break
        while self._names and not self._ending:
            for key, _ in self._selector.select():
                key.data(key.fileobj)
            self._reap()
        self._terminate()
        self._kill_all()
        self._say(event="spent", cpu_s=round(_cpu_of_children(), 2))
        if self._orphaned:
            self._clean_up()

    def _start(self, process: dict) -> bool:
        def enter_host():
            if process.get("host_pid"):
                namespaces.enter(process["host_pid"])
                os.chdir(process["cwd"])
        try:
            with open(process["stdout"], "ab") as out, open(process["stderr"], "ab") as err:
                child = subprocess.Popen(
                    process["argv"], env=process["env"], cwd=process["cwd"],
                    stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                    preexec_fn=enter_host if process.get("host_pid") else None)
        except (OSError, subprocess.SubprocessError) as error:
            self._say(event="failed", name=process["name"], why=str(error))
            return False
        child.returncode = 0  # reaped by hand below, together with orphans
        self._names[child.pid] = process["name"]
        self._say(event="started", name=process["name"], pid=child.pid)
        return True

    def _reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._names:
                code = os.waitstatus_to_exitcode(status)
                self._say(event="exit", name=self._names.pop(pid),
                          status=code if code >= 0 else 128 - code)

    def _on_control(self, control: socket.socket):
        try:
            said = control.recv(4096)
        except ConnectionError:
            said = b""
        self._orphaned = not said
        self._ending = True

    def _terminate(self):
        """Lets launchers end their ranks in their own way, for a short while."""
        if self._orphaned:
            return
        for pid in self._names:
            _signal(pid, signal.SIGTERM)
            _signal(pid, signal.SIGCONT)
        deadline = time.monotonic() + GRACE_S
        while self._names and (left := deadline - time.monotonic()) > 0:
            for key, _ in self._selector.select(left):
                key.data(key.fileobj)
            self._reap()
            if self._orphaned:
                return

    def _kill_all(self):
        """Kills until nobody is left: a process may fork between the look and the blow."""
        while below := process_tree.descendants(os.getpid()):
            for pid in below:
                _signal(pid, signal.SIGKILL)
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                pass
            self._reap()

    def _clean_up(self):
        for path in self._plan["remove_when_orphaned"]:
            shutil.rmtree(path, ignore_errors=True)

    def _say(self, **message):
        try:
            self._control.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            self._orphaned = self._ending = True


def _child_signal_socket() -> socket.socket:
    """A socket that becomes readable when a child ends."""
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)
    _child_signal_socket.writer = writer  # kept open for the life of the process
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return reader


def _drain(reader: socket.socket):
    try:
        while reader.recv(4096):
            pass
    except BlockingIOError:
        pass


def _cpu_of_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _signal(pid: int, number: int):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def main():
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text())
    control = socket.socket(fileno=int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    namespaces.become_subreaper()
    Keeper(plan, control).run()


if __name__ == "__main__":
    main()
