"""A real Slurm of several nodes on one machine: munge, slurmctld and a slurmd in each of the harness's hosts.

    with Cluster(folder, nodes=4) as cluster:
        cluster.run(["srun", "-N4", "hostname"])

The first host is the one that people log in to: the controller runs there, and so do commands. The folder is on the file
system that all hosts share, as homes are on a cluster. Nothing has a name outside the hosts, and all of it goes when the
harness does.
"""

import os
import pathlib
import signal
import subprocess
import time

from harness import namespaces
from harness.errors import LabError
from harness.host_spec import default_hosts
from harness.hosts import Hosts

from slurmlab.settings import slurm_conf

READY_S = 30.0
LOGIN = "login"


class Cluster:
    def __init__(self, folder: pathlib.Path, nodes: int = 2, cpus: int = 2, gpus: int = 0, memory_mb: int = 2048, hosts_files=None):
        self.folder, self.count, self.cpus = folder, nodes, cpus
        for name in ("state", "log", "run"):
            (folder / name).mkdir(parents=True)
        specs = default_hosts(nodes + 1)
        specs[0].name = LOGIN
        for index, spec in enumerate(specs[1:], 1):
            spec.name = f"n{index}"
            spec.shm_bytes = 256 << 20
        for name, text in (hosts_files or {}).items():
            file = folder / f"hosts-{name}"
            file.write_text(text + "".join(f"{spec.address} {spec.name}\n" for spec in specs if spec.name != name))
            next(spec for spec in specs if spec.name == name).hosts_file = str(file)
        conf = folder / "slurm.conf"
        conf.write_text(slurm_conf(folder, specs, cpus, gpus, memory_mb))
        self._write_gpus(gpus)
        self.environ = os.environ | {"SLURM_CONF": str(conf)}
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

    def _write_gpus(self, count: int):
        """Devices that are none: Slurm hands them out all the same."""
        for number in range(count):
            os.mknod(self.folder / f"gpu{number}", 0o20666, os.makedev(1, 3))
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        if count:
            (self.folder / "gres.conf").write_text(f"Name=gpu File={self.folder}/gpu[0-{count - 1}]\n")

    def _start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        run = self.folder / "run"
        self._daemon(LOGIN, ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={run}/munge.sock",
                             f"--pid-file={run}/munged.pid", f"--log-file={self.folder}/log/munged.log",
                             f"--seed-file={run}/munged.seed"])
        self._until(lambda: (run / "munge.sock").exists(), "munge answers")
        self._daemon(LOGIN, ["slurmctld", "-D", "-c", "-i", "-f", self.folder / "slurm.conf"])
        for name in self.nodes:
            self.start_node(name)
        self._until(lambda: self._states() == {"idle"}, "all nodes are idle")

    def start_node(self, name: str):
        (self.folder / f"spool-{name}").mkdir(exist_ok=True)
        self._daemon(name, ["slurmd", "-D", "-N", name, "-f", self.folder / "slurm.conf"])

    def _states(self) -> set[str]:
        try:
            return set(self.run(["sinfo", "-h", "-N", "-o", "%T"]).split())
        except LabError:
            return set()

    def _daemon(self, host: str, command: list):
        log = (self.folder / "log" / f"{command[0]}-{host}.out").open("wb")
        self._daemons.append(self.popen(command, host, stdout=log, stderr=subprocess.STDOUT, start_new_session=True))
        log.close()

    def _until(self, condition, what: str):
        end = time.monotonic() + READY_S
        while not condition():
            if time.monotonic() > end:
                raise LabError(f"waited in vain: {what}; see {self.folder}/log")
            time.sleep(0.05)
