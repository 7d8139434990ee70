"""What makes one host unlike another, and how it is written: INDEX:key=value[,key=value]."""

import re
from dataclasses import dataclass

from harness.errors import LabError

GATEWAY = "10.77.255.254"
KEYS = ("name", "mtu", "port_mtu", "shm", "hosts_file", "rules")
SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass
class HostSpec:
    """rules and hosts_file are files; port_mtu is the router's end of the link (a black hole for
    larger packets when it is below mtu)."""
    index: int
    name: str
    address: str
    mtu: int = 1500
    port_mtu: int = 0
    shm_bytes: int = 64 << 20
    hosts_file: str = ""
    rules: str = ""


def default_hosts(count: int) -> list[HostSpec]:
    if count > 60000:
        raise LabError("at most 60000 hosts fit the lab's address plan")
    return [HostSpec(index, f"host{index}", f"10.77.{(index + 1) >> 8}.{(index + 1) & 255}")
            for index in range(count)]


def parse_host_options(count: int, options: list[str]) -> list[HostSpec]:
    hosts = default_hosts(count)
    for option in options:
        index, _, pairs = option.partition(":")
        if not index.isdigit() or not pairs:
            raise LabError(f"--host {option!r} is not readable; write INDEX:key=value")
        if int(index) >= count:
            raise LabError(f"there is no host {index}: the run has hosts 0 to {count - 1}")
        for pair in pairs.split(","):
            _set(hosts[int(index)], pair)
    return hosts


def parse_size(text: str) -> int:
    match = re.fullmatch(r"(\d+)([kmg]?)", text.lower())
    if not match:
        raise LabError(f"{text!r} is no size; write for example 64m")
    return int(match[1]) * SIZES[match[2]]


def _set(host: HostSpec, pair: str):
    key, _, value = pair.partition("=")
    if key not in KEYS or not value:
        raise LabError(f"a host has no {pair!r}; it has {', '.join(KEYS)}")
    if key == "shm":
        host.shm_bytes = parse_size(value)
    elif key in ("mtu", "port_mtu"):
        if not value.isdigit():
            raise LabError(f"{key} wants a number, not {value!r}")
        setattr(host, key, int(value))
    else:
        setattr(host, key, value)
