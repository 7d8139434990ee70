"""Makes hosts and holds them until its input closes.

Input: one line, a JSON list of host specs. Output: one line, {"router": PID, "hosts": [PID...]},
when every host is up. One process per host holds its namespaces; all of them die with this one.
"""

import ctypes
import fcntl
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harness import namespaces
from harness.host_spec import GATEWAY

_SIOCETHTOOL = 0x8946
_OFFLOADS = {"tso": 0x1f, "gso": 0x24, "gro": 0x2c}


def main():
    specs = json.loads(sys.stdin.readline())
    _read_hosts_files(specs)
    router, router_pipe = _fork_holder(_start_router, None)
    _wait_ready([("router", router_pipe)])
    holders = [_fork_holder(_start_host, spec) for spec in specs]
    _wait_ready([(spec["name"], pipe) for spec, (_, pipe) in zip(specs, holders)])
    _link(router, specs, [pid for pid, _ in holders])
    for _, pipe in holders:
        os.write(pipe.fileno(), b"linked\n")
    _wait_ready([(spec["name"], pipe) for spec, (_, pipe) in zip(specs, holders)])
    print(json.dumps({"router": router, "hosts": [pid for pid, _ in holders]}), flush=True)
    sys.stdin.read()
    pids = [router] + [pid for pid, _ in holders]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        os.waitpid(pid, 0)


def _read_hosts_files(specs: list[dict]):
    """A host without a hosts file of its own gets one that names every host of the fabric."""
    usual = "127.0.0.1 localhost\n" + "".join(
        f"{spec['address']} {spec['name']}\n" for spec in specs)
    for spec in specs:
        path = spec["hosts_file"]
        spec["hosts_text"] = pathlib.Path(path).read_text() if path else usual


def _fork_holder(start, spec) -> tuple[int, socket.socket]:
    """A process in namespaces of its own, and the socket over which it says how far it is."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid:
        theirs.close()
        return pid, ours
    try:
        namespaces.die_with_parent(signal.SIGKILL)
        namespaces.unshare(namespaces.HOST)
        namespaces.make_mounts_private()
        start(spec, theirs)
        theirs.sendall(b"ready\n")
    except Exception as error:
        theirs.sendall(f"{error}\n".encode())
        os._exit(1)
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    while True:
        signal.pause()


def _wait_ready(holders: list[tuple[str, socket.socket]]):
    for name, pipe in holders:
        answer = b""
        while not answer.endswith(b"\n"):
            data = pipe.recv(4096)
            if not data:
                break
            answer += data
        if answer != b"ready\n":
            sys.exit(f"{name}: {answer.decode(errors='replace').strip() or 'ended early'}")


def _start_router(_, pipe: socket.socket):
    _ip(["link set lo up", f"addr add {GATEWAY}/32 dev lo"])
    namespaces.mount("sysfs", "/sys")
    pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1")


def _link(router: int, specs: list[dict], pids: list[int]):
    """All links in one go, from inside the router: outside, no interface ever shows."""
    lines = []
    for spec, pid in zip(specs, pids):
        port = f"to{spec['index']}"
        lines += [f"link add {port} mtu {spec['port_mtu'] or spec['mtu']} type veth "
                  f"peer name eth0 mtu {spec['mtu']} netns {pid}",
                  f"link set {port} up",
                  f"route add {spec['address']}/32 dev {port} src {GATEWAY}"]
    worker = os.fork()
    if worker == 0:
        try:
            namespaces.enter(router)
            _ip(lines)
            for spec in specs:
                _switch_offloads_off(f"to{spec['index']}")
        except Exception as error:
            print(error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    if os.waitpid(worker, 0)[1]:
        sys.exit("the links between hosts and router could not be made")


def _start_host(spec: dict, pipe: socket.socket):
    socket.sethostname(spec["name"])
    namespaces.mount("sysfs", "/sys")
    _own_files({"/etc/hosts": spec["hosts_text"], "/etc/resolv.conf": ""})
    namespaces.mount("tmpfs", "/dev/shm", f"size={spec['shm_bytes']},mode=1777")
    pipe.sendall(b"ready\n")
    pipe.recv(4096)
    _ip(["link set lo up", f"addr add {spec['address']}/32 dev eth0", "link set eth0 up",
         f"route add {GATEWAY} dev eth0 scope link src {spec['address']}",
         f"route add default via {GATEWAY} src {spec['address']}"])
    _switch_offloads_off("eth0")
    if spec["rules"]:
        _tool(["nft", "-f", spec["rules"]])


def _own_files(texts: dict[str, str]):
    """Gives the host its own copy of some files. They lie in a small memory file system that the
    host's own /dev/shm hides afterwards, so they have no other name and take no disk."""
    namespaces.mount("tmpfs", "/dev/shm", "size=4m")
    for target, text in texts.items():
        copy = pathlib.Path("/dev/shm") / pathlib.Path(target).name
        copy.write_text(text)
        namespaces.bind(str(copy), target)


def _ip(lines: list[str]):
    _tool(["ip", "-batch", "-"], "\n".join(lines) + "\n")


def _tool(command: list[str], text: str = ""):
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise OSError(f"{command[0]} is missing; make deps installs it") from error
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")


def _switch_offloads_off(device: str):
    """With segmentation offload a veth pair carries packets larger than its MTU and hides faults."""
    with socket.socket() as any_socket:
        for command in _OFFLOADS.values():
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            request = struct.pack("16sP", device.encode(), ctypes.addressof(value))
            fcntl.ioctl(any_socket, _SIOCETHTOOL, request)


if __name__ == "__main__":
    main()
