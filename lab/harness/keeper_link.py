"""The harness's end of the keeper: starts it, hears of its processes, tells it to end."""

import json
import pathlib
import socket
import subprocess
import sys


class KeeperLink:
    """status is the job's own: of the launcher, or of the first process that failed."""

    def __init__(self, folder: pathlib.Path):
        self.pids: dict[str, int] = {}
        self.exits: dict[str, int] = {}
        self.status = 0
        self.cpu_s = 0.0
        self._folder = folder
        self._control, theirs = socket.socketpair()
        self._heard = b""
        script = pathlib.Path(__file__).with_name("keeper.py")
        with theirs, open(folder / "keeper.err", "wb") as complaints:
            self._process = subprocess.Popen(
                [sys.executable, str(script), str(folder / "plan.json"), str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=complaints,
                stderr=complaints, start_new_session=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def gone(self) -> bool:
        """True once every process of the job has ended."""
        return self._process.returncode is not None

    def fileno(self) -> int:
        return self._control.fileno()

    def hear(self):
        """Takes in what the keeper says; waits for it when it has nothing to say yet."""
        try:
            data = self._control.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            self._part()
            return
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            self._on_message(json.loads(line))

    def end(self):
        """Launchers get a moment to end their ranks, then everything is killed."""
        if self.gone:
            return
        try:
            self._control.sendall(b"end\n")
        except OSError:
            pass
        while not self.gone:
            self.hear()

    def _on_message(self, message: dict):
        if message["event"] == "spent":
            self.cpu_s = message["cpu_s"]
            return
        name = message["name"]
        if message["event"] == "started":
            self.pids[name] = message["pid"]
        elif message["event"] == "exit":
            self.exits[name] = message["status"]
            self.status = self.status or message["status"]
        else:
            self.exits[name] = 127
            self.status = self.status or 127
            with open(self._folder / f"{name}.err", "a") as file:
                file.write(f"lab: could not start: {message['why']}\n")

    def _part(self):
        self._process.wait()
        self._control.close()
        complaints = self._folder / "keeper.err"
        if complaints.stat().st_size == 0:
            complaints.unlink()
