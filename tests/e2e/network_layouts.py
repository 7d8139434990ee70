"""Hosts as people have them: several interfaces, names that lead here, elsewhere or nowhere, both families. By seed."""

import contextlib
import dataclasses
import pathlib
import random

from harness.host_spec import parse_host_options
from harness.hosts import Hosts
from network_hosts import facts_of

INTERFACES = ["nic1", "docker0", "ib0", "eno1", "lo9", "virbr0"]
FOREIGN = "10.99.0.1"


@dataclasses.dataclass
class Layout:
    index: int
    name: str
    hosts_file: str
    commands: list[str]      # run on the host
    gloo: dict[str, str]     # environment
    open_mpi: dict[str, str]
    endpoints: list[str]     # names that its facts resolve
    nccl: list[dict[str, str]]


def layout(index: int) -> Layout:
    pick = random.Random(index)
    name, own = f"n{index}", f"10.77.0.{index + 1}"
    commands, local, usable_names = [], [own], ["eth0"]
    for at, interface in enumerate(pick.sample(INTERFACES, pick.randrange(4))):
        commands.append(f"ip link add {interface} type veth peer name x{at}")
        addresses = [pick.choice([f"10.{80 + at}.{index}.5/24", f"203.0.113.{16 * at + 5}/28", f"192.168.{at}.9/24"])]
        if pick.random() < 0.3:
            addresses.append(f"10.{90 + at}.{index}.6/24")
        is_up = pick.random() < 0.8
        if is_up and pick.random() < 0.5:
            addresses.append(f"fd00:{at + 1}::{index + 1}/64")
        commands += [f"ip addr add {address} dev {interface}{' nodad' if ':' in address else ''}" for address in addresses]
        if is_up:
            commands += [f"ip link set {interface} up", f"ip link set x{at} up"]
            local += [address.split("/")[0] for address in addresses]
            usable_names.append(interface)
    lines = ["127.0.0.1 localhost"]
    for address in pick.sample(local + ["127.0.1.1", FOREIGN], pick.choice([0, 1, 1, 1, 2])):
        lines.append(f"{address} {pick.choice([f'{name}.lab {name}', name])}")
    lines += [f"{address} master" for address in pick.sample(local, min(len(local), pick.choice([0, 1, 1, 2, 3])))]
    lines += [f"{FOREIGN} other", f"{own} alias.lab alias"]
    pick.shuffle(lines)
    gloo = {"GLOO_SOCKET_IFNAME": pick.choice(usable_names)} if pick.random() < 0.4 else {}
    open_mpi = pick.choice([{}, {"btl_tcp_if_include": pick.choice(usable_names)}, {"btl_tcp_if_exclude": "lo,docker0"},
                            {"btl_tcp_if_include": "10.80.0.0/12"},
                            {"btl_tcp_if_include": f"10.80.{index}.0/24,10.81.{index}.0/24"},
                            {"btl_tcp_if_exclude": f"127.0.0.0/8,10.80.{index}.0/24"}, {"btl_tcp_if_exclude": "127.0.0.0/8,192.168.0.0/16"}])
    endpoints = ["localhost", "127.0.0.1", name, f"{name}.lab", "alias", "master", "other", "nowhere", FOREIGN, *local]
    return Layout(index, name, "\n".join(lines) + "\n", commands, gloo, open_mpi, endpoints, nccl_settings(pick, usable_names, local))


def nccl_settings(pick: random.Random, names: list[str], local: list[str]) -> list[dict[str, str]]:
    """Right, odd and wrong values as people write them."""
    name, other = pick.choice(names), pick.choice(INTERFACES)
    lists = ["", "e", name, f"={name}", f"^{name}", f"^={name}", f"{other},{name}", f"{name}, {other}", f"={other},={name}",
             f"{name}:1", name[:2], f"^{name},lo", "nothing", "^docker,lo", "^e,n,i,d,v"]
    family = pick.choice([{}, {}, {"NCCL_SOCKET_FAMILY": pick.choice(["AF_INET", "AF_INET6", "IPv6"])}])
    made = [{}, family, *({"NCCL_SOCKET_IFNAME": value} | family for value in pick.sample(lists[1:], 5))]
    for address in [pick.choice(local), FOREIGN]:
        endpoint = f"[{address}]:7000" if ":" in address else f"{address}:7000"
        made.append({"NCCL_COMM_ID": endpoint} | pick.choice([{}, {"NCCL_SOCKET_IFNAME": f"={name}"}]))
    return made


@contextlib.contextmanager
def layout_hosts(count: int, folder: pathlib.Path):
    """(layout, host, file of its facts) of each."""
    layouts = [layout(index) for index in range(count)]
    options = []
    for one in layouts:
        (folder / f"{one.name}.hosts").write_text(one.hosts_file)
        options.append(f"{one.index}:name={one.name},hosts_file={folder / (one.name + '.hosts')}")
    with Hosts(parse_host_options(len(layouts), options)) as made:
        for host, one in zip(made, layouts):
            for command in one.commands:
                host.run(command.split(), check=True)
        yield [(one, host, facts_of(host, folder, *(f"--name={name}" for name in one.endpoints)))
               for host, one in zip(made, layouts)]
