"""Hosts of the harness on which daemons run: the first is the one that people log in to, the others are nodes.

The folder is on the file system that all hosts share, as homes are on a cluster. Nothing has a name outside the hosts,
and all of it goes when the harness does.
"""

import os
import pathlib
import signal
import subprocess
import time

from harness import namespaces
from harness.errors import LabError
from harness.host_spec import GATEWAY, HostSpec, default_hosts
from harness.hosts import Hosts

LOGIN = "login"


def specs_of(nodes: int) -> list[HostSpec]:
    specs = default_hosts(nodes + 1)
    specs[0].name = LOGIN
    for index, spec in enumerate(specs[1:], 1):
        spec.name = f"n{index}"
        spec.shm_bytes = 256 << 20
    return specs


class HostCluster:
    ready_s = 30.0

    def __init__(self, folder: pathlib.Path, specs: list[HostSpec], environ: dict[str, str]):
        self.folder = folder
        self.environ = os.environ | environ
        self._daemons: list[subprocess.Popen] = []
        self._hosts = Hosts(specs)
        self.by_name = {host.name: host for host in self._hosts}
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _start(self):
        raise NotImplementedError

    def start_node(self, name: str):
        raise NotImplementedError

    @property
    def nodes(self) -> list[str]:
        return [name for name in self.by_name if name != LOGIN]

    def popen(self, command: list, host: str = LOGIN, **keywords) -> subprocess.Popen:
        pid = self.by_name[host].pid
        return subprocess.Popen([str(word) for word in command], preexec_fn=lambda: namespaces.enter(pid),
                                **{"env": self.environ, "stdin": subprocess.DEVNULL} | keywords)

    def run(self, command: list, host: str = LOGIN, limit_s: float = 60.0) -> str:
        started = self.popen(command, host, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said, _ = started.communicate(timeout=limit_s)
        if started.returncode != 0:
            raise LabError(f"{' '.join(map(str, command))} on {host}: {said.strip()}")
        return said

    def kill_node(self, name: str):
        """As when its power goes: nothing on it runs on, nothing of it answers."""
        self.run(["ip", "link", "set", "eth0", "down"], host=name)
        self._kill_all(name)

    def revive_node(self, name: str):
        """After kill_node(): its power is back."""
        address = self.by_name[name].address
        for words in ("link set eth0 up", f"route add {GATEWAY} dev eth0 scope link src {address}",
                      f"route add default via {GATEWAY} src {address}"):
            self.run(["ip", *words.split()], host=name)
        self.start_node(name)

    def close(self):
        for name in self.by_name:
            self._kill_all(name)
        for daemon in self._daemons:
            daemon.kill()
            daemon.wait()
        self._hosts.close()

    def _kill_all(self, name: str):
        for pid in self._processes_of(name):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def _processes_of(self, name: str) -> list[int]:
        """All but the one that holds the host."""
        holder = self.by_name[name].pid
        network = os.readlink(f"/proc/{holder}/ns/net")
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and int(entry.name) != holder and os.readlink(entry / "ns/net") == network:
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def _daemon(self, host: str, command: list, name: str = "") -> subprocess.Popen:
        log = (self.folder / "log" / f"{name or pathlib.Path(command[0]).name}-{host}.out").open("wb")
        self._daemons.append(self.popen(command, host, stdout=log, stderr=subprocess.STDOUT, start_new_session=True))
        log.close()
        return self._daemons[-1]

    def _until(self, condition, what: str):
        end = time.monotonic() + self.ready_s
        while not condition():
            if time.monotonic() > end:
                raise LabError(f"waited in vain: {what}; see {self.folder}/log")
            time.sleep(0.05)
