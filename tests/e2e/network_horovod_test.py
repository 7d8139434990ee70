"""The interfaces that real horovodrun agrees on, against the emulator: on each layout of two or three hosts both must name the
same. Ranks print their environment and import no framework. `make test-network` asks on more layouts."""

import os
import pathlib
import random
import re
import subprocess

import pytest

from harness.host_shell import write_host_shell
from harness.host_spec import GATEWAY, parse_host_options
from harness.hosts import Hosts
from network_hosts import PATIENCE_S, asked, facts_of, interpreter

LAYOUTS = int(os.environ.get("LOCKSTEP_LAYOUTS", "8")) // 4


def second_network(hosts, router, names: list[str]) -> None:
    """An interface on each host whose address the others reach from their own one, through the router."""
    for host, name in zip(hosts, names):
        host.run(["ip", "link", "add", name, "type", "veth", "peer", "name", "idle"], check=True)
        host.run(["ip", "addr", "add", f"10.88.{host.index}.5/32", "dev", name], check=True)
        host.run(["ip", "link", "set", name, "up"], check=True)
        subprocess.run(["nsenter", "-t", str(router), "-n", "ip", "route", "add", f"10.88.{host.index}.5/32", "via", host.address,
                        "dev", port_of(router, host.address), "onlink"], check=True)
    for host in hosts:
        for other in hosts:
            if other is not host:
                host.run(["ip", "route", "add", f"10.88.{other.index}.5/32", "via", GATEWAY, "dev", "eth0", "onlink",
                          "src", f"10.88.{host.index}.5"], check=True)


def port_of(router: int, address: str) -> str:
    said = subprocess.run(["nsenter", "-t", str(router), "-n", "ip", "route", "get", address], capture_output=True, text=True,
                          check=True).stdout.split()
    return said[said.index("dev") + 1]


def prepare(hosts, router: int, pick: random.Random) -> None:
    for host in hosts:
        host.run(["ip", "link", "add", "docker0", "type", "veth", "peer", "name", "idle0"], check=True)
        host.run(["ip", "addr", "add", "172.17.0.1/16", "dev", "docker0"], check=True)
        host.run(["ip", "link", "set", "docker0", "up"], check=True)
    names = ["nic1"] * len(hosts)
    if pick.random() < 0.4:
        names[-1] = "ens5"  # the same network by another name
    second_network(hosts, router, names)
    if pick.random() < 0.5:  # refused, not silent: horovodrun would wait a minute for each address
        hosts[-1].add_rules(f"table inet t {{ chain input {{ type filter hook input priority 0; "
                            f"ip daddr {pick.choice(['10.88.0.0/16', hosts[-1].address])} tcp dport >= 1024 ct state new "
                            f"reject with tcp reset; }}; }}\n")


def agreed_names(hosts, folder: pathlib.Path, *flags: str) -> tuple[set[str], str]:
    write_host_shell(folder, hosts)
    python = pathlib.Path(interpreter("horovod-torch-"))
    listed = ",".join(f"{host.name}:1" for host in hosts)
    environment = os.environ | {"PATH": f"{folder}:{python.parent}:{os.environ['PATH']}", "HOME": str(folder)}
    done = hosts[0].run([str(python), str(python.with_name("horovodrun")), "--disable-cache", "--verbose", "--start-timeout", "90",
                         "-np", str(len(hosts)), "-H", listed, *flags, "env"], env=environment, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S * 4)
    found = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if line.startswith("Common interface found: ")]
    return set(found[0].split()) if found else set(), done.stdout


@pytest.mark.parametrize("seed", range(LAYOUTS))
def test_horovodrun_agrees_on_the_interfaces_predicted(tmp_path, seed):
    pick = random.Random(seed)
    with Hosts(parse_host_options(2 + seed % 2, [])) as hosts:
        prepare(list(hosts), hosts.router_pid, pick)
        facts = [facts_of(host, tmp_path) for host in hosts]
        word = set(asked("horovod", "-", *facts).split())
        names, said = agreed_names(hosts, tmp_path / "bin", "--gloo")
        assert names == word, said
        if names:  # each rank is told one of them for Gloo, and all of them for NCCL
            given = set(re.findall(r"<stdout>:HOROVOD_GLOO_IFACE=(\S+)", said))
            assert len(given) == 1 and given <= names, said
        else:
            assert "HOROVOD_RANK=" not in said  # no rank was started


def test_over_mpi_the_same_names_are_mpis_interfaces(tmp_path):
    with Hosts(parse_host_options(2, [])) as hosts:
        second_network(list(hosts), hosts.router_pid, ["nic1", "ens5"])
        facts = [facts_of(host, tmp_path) for host in hosts]
        word = asked("horovod", "-", *facts).split()
        names, said = agreed_names(hosts, tmp_path / "bin", "--mpi")
        assert names == set(word) == {"eth0"}, said
        assert "btl_tcp_if_include eth0" in said and "NCCL_SOCKET_IFNAME=eth0" in said, said
