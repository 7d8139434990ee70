"""Hosts made of network, mount, UTS and IPC namespaces, joined by a routed fabric.

    with Hosts(default_hosts(16)) as hosts:
        hosts[3].run(["hostname"])

Each host has its own name, hosts file, resolver file, /dev/shm, MTU and firewall, one address (/32)
and an on-link gateway: a bridge would share the kernel's neighbour table between all hosts and
overflow it. Nothing has a name outside the namespaces, which live as long as the processes in them;
`host_maker` holds them and goes when its input closes, so a killed harness leaves nothing to sweep.
"""

import json
import os
import pathlib
import subprocess
import sys
from dataclasses import asdict

from harness import namespaces
from harness.errors import LabError
from harness.host_spec import HostSpec


class Host:
    """One host while it is up. pid is a process inside it: nsenter -t PID -a enters by hand."""

    def __init__(self, spec: HostSpec, pid: int):
        self.spec, self.pid = spec, pid
        self.index, self.name, self.address = spec.index, spec.name, spec.address

    def run(self, command: list[str], **keywords) -> subprocess.CompletedProcess:
        """Runs a command on the host to its end; takes what subprocess.run takes."""
        return subprocess.run(command, preexec_fn=lambda: namespaces.enter(self.pid), **keywords)

    def add_rules(self, rules: str):
        """Adds nft rules to the host's own firewall."""
        done = self.run(["nft", "-f", "-"], input=rules, text=True, capture_output=True)
        if done.returncode != 0:
            raise LabError(f"host {self.name} refuses its rules: {done.stderr.strip()}")


class Hosts:
    def __init__(self, specs: list[HostSpec]):
        require_root()
        maker = pathlib.Path(__file__).with_name("host_maker.py")
        self._maker = subprocess.Popen([sys.executable, str(maker)], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       start_new_session=True)
        self._maker.stdin.write(json.dumps([asdict(spec) for spec in specs]) + "\n")
        self._maker.stdin.flush()
        answer = self._maker.stdout.readline()
        if not answer:
            said = self._maker.stderr.read().strip()
            self.close()
            raise LabError(f"the hosts did not come up: {said or 'no reason given'}")
        pids = json.loads(answer)
        self.router_pid = pids["router"]
        self._hosts = [Host(spec, pid) for spec, pid in zip(specs, pids["hosts"])]

    def __getitem__(self, index: int) -> Host:
        return self._hosts[index]

    def __iter__(self):
        return iter(self._hosts)

    def __len__(self) -> int:
        return len(self._hosts)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        if self._maker.stdin.closed:
            return
        self._maker.stdin.close()
        self._maker.wait()
        self._maker.stdout.close()
        self._maker.stderr.close()


def require_root():
    if os.geteuid() != 0:
        raise LabError("hosts are namespaces with their own network and mounts, and making them needs "
                       "root; run as root, or without --hosts, which needs no root")
