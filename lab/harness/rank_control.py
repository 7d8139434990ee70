"""What can be done to a rank while it runs: signals, a share of a core, its connections, its shm."""

import os
import pathlib
import re
import signal
import subprocess

from harness import namespaces, process_tree
from harness.errors import LabError
from harness.hosts import Host

_PERIOD_US = 100_000
_CGROUP_NAME = "lockstep-lab-{owner}-rank{rank}"


def send(pid: int, number: int):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class CpuShare:
    """Holds a process to a share of one core: by a control group where one can be made, otherwise
    by stopping and continuing it in turn, which the owner drives by calling `tick`."""

    def __init__(self, rank: int, pid: int, percent: float):
        self._pid, self._share = pid, percent / 100
        self._group = _make_group(rank, pid, percent)
        self._stopped = False

    @property
    def kind(self) -> str:
        return "control group" if self._group else "stop and continue"

    def tick(self) -> float | None:
        """Seconds until it wants to be called again; None for never."""
        if self._group or not process_tree.state_of(self._pid):
            return None
        self._stopped = not self._stopped
        send(self._pid, signal.SIGSTOP if self._stopped else signal.SIGCONT)
        return (1 - self._share if self._stopped else self._share) * _PERIOD_US / 1e6

    def close(self):
        if self._group:
            _remove_group(self._group)
        elif self._stopped:
            send(self._pid, signal.SIGCONT)


def sweep_stale_groups():
    """Control groups of runs that were killed: their names carry the owner's pid."""
    for root in (pathlib.Path("/sys/fs/cgroup"), pathlib.Path("/sys/fs/cgroup/cpu")):
        for group in root.glob("lockstep-lab-*"):
            match = re.match(r"lockstep-lab-(\d+)-", group.name)
            if match and not os.path.exists(f"/proc/{match[1]}"):
                _remove_group(group)


def _make_group(rank: int, pid: int, percent: float) -> pathlib.Path | None:
    name = _CGROUP_NAME.format(owner=os.getpid(), rank=rank)
    quota = str(int(_PERIOD_US * percent / 100))
    for root, settings in (
            ("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": quota}),
            ("/sys/fs/cgroup", {"cpu.max": f"{quota} {_PERIOD_US}"})):
        group = pathlib.Path(root) / name
        try:
            group.mkdir(exist_ok=True)
            for key, value in settings.items():
                (group / key).write_text(value)
            (group / "cgroup.procs").write_text(str(pid))
            return group
        except OSError:
            _remove_group(group)
    return None


def _remove_group(group: pathlib.Path):
    """A group with processes in it is left to the next run's sweep."""
    try:
        group.rmdir()
    except OSError:
        pass


def drop_connections(pid: int, peer_pid: int) -> int:
    """Resets every established TCP connection between two processes; how many there were. Both ends
    are reset: a reset that overtakes data on its way is only questioned by the receiver, and an end
    that waits in silence would then wait for ever."""
    pairs = _connections_between(pid, peer_pid)
    for local, remote in pairs:
        for owner, source, target in ((pid, local, remote), (peer_pid, remote, local)):
            if process_tree.state_of(owner):
                _in_network_of(owner, ["ss", "-K", "-t", "state", "established",
                                       "src", source, "dst", target])
    return len(pairs)


def _connections_between(pid: int, peer_pid: int) -> list[tuple[str, str]]:
    peers = {(remote, local) for local, remote in _established(peer_pid)}
    return [pair for pair in _established(pid) if pair in peers]


def _established(pid: int) -> list[tuple[str, str]]:
    done = _in_network_of(pid, ["ss", "-Htnp", "state", "established"])
    rows = [line.split() for line in done.stdout.splitlines() if f"pid={pid}," in line]
    return [(_plain(row[2]), _plain(row[3])) for row in rows if len(row) >= 4]


def _plain(endpoint: str) -> str:
    """An IPv4 connection on an IPv6 socket shows as [::ffff:a.b.c.d]:port on that end only."""
    return endpoint.replace("[::ffff:", "").replace("]", "") if "::ffff:" in endpoint else endpoint


def _in_network_of(pid: int, command: list[str]) -> subprocess.CompletedProcess:
    """Enters the network only of a rank on a host of its own; a rank that ends meanwhile has no
    connections left."""
    try:
        elsewhere = os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net")
        enter = (lambda: namespaces.enter(pid, namespaces.NEW_NETWORK)) if elsewhere else None
        return subprocess.run(command, capture_output=True, text=True, preexec_fn=enter)
    except (OSError, subprocess.SubprocessError):
        return subprocess.CompletedProcess(command, 1, "", "")


def cut(host: Host, peer: Host):
    """From now on every packet between two hosts is lost without a word."""
    host.add_rules(f"""table inet lab_cut {{
        chain input {{ type filter hook input priority -10; ip saddr {peer.address} drop; }}
        chain output {{ type filter hook output priority -10; ip daddr {peer.address} drop; }}
    }}""")


def fill_shm(host: Host) -> int:
    """Fills the host's /dev/shm to the last byte; how many bytes went in. Never the machine's."""
    if _device_of_shm(host) == os.stat("/dev/shm").st_dev:
        raise LabError(f"host {host.name} shares /dev/shm with the machine; it is not filled")
    # What the job holds at first it gives back, and would have it again: that is filled as well.
    done = host.run(["sh", "-c", "for _ in $(seq 20); do"
                                 " dd if=/dev/zero of=/dev/shm/lab_fill bs=64k oflag=append conv=notrunc 2>/dev/null; sleep 0.05;"
                                 " done; stat -c %s /dev/shm/lab_fill"], capture_output=True, text=True)
    return int(done.stdout or 0)


def _device_of_shm(host: Host) -> int:
    done = host.run(["stat", "-c", "%d", "/dev/shm"], capture_output=True, text=True)
    return int(done.stdout)
