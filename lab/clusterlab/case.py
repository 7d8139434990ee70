"""A cluster as data: its hosts, what is odd about each, the job, and what check must say.

    [[fault]]
    name = "name_is_loopback"
    says = "the host's own name is 127.0.1.1, as Debian writes it"
    stack = "torch"                       torch, torchrun, c10d, tensorflow, mpirun, horovodrun
    code = "setup.gloo_connect"           of the finding that must be there
    host1.names = {host1 = "127.0.1.1"}   one host; `all` stands for every one

A host has: environ, flags (of its launcher), names (in its hosts file), setup (commands run on it first), rules (nft), shm,
mtu, port_mtu, busy (ports that something listens on), python (the lab's environment whose interpreter it has), clock (how far
its clock is off, as libfaketime reads it).
"""

import pathlib
import tomllib
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "cluster"
STACKS = ("torch", "torchrun", "c10d", "tensorflow", "mpirun", "horovodrun")


@dataclass
class HostOddities:
    environ: dict = field(default_factory=dict)
    flags: dict = field(default_factory=dict)
    names: dict = field(default_factory=dict)
    setup: list = field(default_factory=list)
    rules: str = ""
    shm: str = ""
    mtu: int = 1500
    port_mtu: int = 0
    busy: list = field(default_factory=list)
    python: str = ""
    clock: str = ""


@dataclass
class Case:
    name: str
    says: str
    stack: str
    hosts: list[HostOddities]
    code: str = ""              # empty: the cluster is healthy
    repairable: bool = True     # otherwise check says what is in the way
    manifest: str = ""          # of Kubernetes: its policies are in force on the hosts, and check is asked about it
    probe: bool = False         # check tries the connections; the fix is that of the finding
    patience_s: float = 20.0    # then the broken job counts as hung
    task_hosts: list = field(default_factory=list)  # TensorFlow: an entry of the cluster for each host, as text
    cluster_of: dict = field(default_factory=dict)  # TensorFlow: another cluster for one host


def load(kind: str) -> list[Case]:
    """`fault` or `healthy`."""
    files = sorted((FOLDER / "faults").glob("*.toml")) if kind == "fault" else [FOLDER / "healthy.toml"]
    return [_case(row, file) for file in files for row in tomllib.loads(file.read_text()).get(kind, [])]


def _case(row: dict, file: pathlib.Path) -> Case:
    count = row.pop("hosts", 2)
    shared = row.pop("all", {})
    hosts = []
    for index in range(count):
        own = row.pop(f"host{index}", {})
        joined = dict(shared)
        for key, value in own.items():
            joined[key] = shared.get(key, {}) | value if isinstance(value, dict) else value
        hosts.append(HostOddities(**joined))
    case = Case(hosts=hosts, **row)
    assert case.stack in STACKS, f"{file}: {case.name} has no stack {case.stack!r}"
    return case
