"""A probe on hosts made of namespaces: the check waits in the router, which everybody reaches, and one agent runs on each host."""

import contextlib
import json
import os
import re
import subprocess

from harness import namespaces
from harness.host_spec import GATEWAY
from network_hosts import LOCKSTEP, PATIENCE_S

COMMAND = re.compile(r"LOCKSTEP_TOKEN=(\w+) \S+ probe-agent (\S+)")


def start_on(pid: int, command: list[str], **keywords) -> subprocess.Popen:
    return subprocess.Popen(list(map(str, command)), preexec_fn=lambda: namespaces.enter(pid), text=True, **keywords)


class Probe:
    """The check's exit status, its document, and how its agents ended."""

    def __init__(self, status: int, out: str, err: str, agents: list[int]):
        self.status, self.err, self.agents = status, err, agents
        self.document = json.loads(out) if out.startswith("{") else {}
        self.told = self.document.get("probe", {})
        self.codes = {finding["code"] for finding in self.document.get("findings", [])}

    def failures(self) -> set[tuple[str, str, str]]:
        return {(one["from"], one["to"], one["end"]) for one in self.told["failures"]}


def probe(hosts, command: list[str], *flags, on=None) -> Probe:
    on = list(hosts) if on is None else on
    names = ",".join(host.name for host in hosts)
    check = start_on(hosts.router_pid, [LOCKSTEP, "check", "--json", "--probe", "--via", "hand", "--host", names, "--listen",
                                        f"{GATEWAY}:0", *flags, "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    agents = []
    with contextlib.ExitStack() as ends:
        ends.callback(check.kill)
        check.stderr.readline()
        line = check.stderr.readline()
        token, place = COMMAND.search(line).groups()
        agents = [start_on(host.pid, [LOCKSTEP, "probe-agent", place], env=os.environ | {"LOCKSTEP_TOKEN": token}) for host in on]
        for agent in agents:
            ends.callback(agent.kill)
        out, err = check.communicate(timeout=PATIENCE_S * 4)
        ended = [agent.wait(timeout=PATIENCE_S) for agent in agents]
    return Probe(check.returncode, out, err, ended)
