"""The TCP sockets of this process, as the kernel of its network namespace lists them."""

import os
import pathlib
import socket

ESTABLISHED, LISTEN = "01", "0A"


def own_inodes() -> set[str]:
    links = []
    for entry in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{entry}"))
        except OSError:
            pass
    return {link[8:-1] for link in links if link.startswith("socket:[")}


def _address(field: str) -> str:
    words = bytes.fromhex(field)
    in_order = b"".join(words[at:at + 4][::-1] for at in range(0, len(words), 4))
    if len(in_order) == 4:
        return socket.inet_ntoa(in_order)
    text = socket.inet_ntop(socket.AF_INET6, in_order)
    return text.removeprefix("::ffff:") if "." in text else text


def _own(state: str):
    mine = own_inodes()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == state and fields[9] in mine:
                yield fields


def listening_addresses(port: int | None = None) -> list[str]:
    """Addresses at which this process listens."""
    ends = [fields[1].split(":") for fields in _own(LISTEN)]
    return [_address(address) for address, at in ends if port is None or int(at, 16) == port]


def connected_addresses(port: int) -> list[str]:
    """Where this process is connected to, at this port."""
    ends = [fields[2].split(":") for fields in _own(ESTABLISHED)]
    return [_address(address) for address, at in ends if int(at, 16) == port]
