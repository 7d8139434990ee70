"""A real Slurm of several nodes on one machine: munge, slurmctld and a slurmd in each of the harness's hosts.

    with Cluster(folder, nodes=4) as cluster:
        cluster.run(["srun", "-N4", "hostname"])

The controller runs on the first host, where people log in, and so do commands.
"""

import os
import pathlib

from harness.errors import LabError
from harness.host_cluster import LOGIN, HostCluster, specs_of

from slurmlab import accounting
from slurmlab.settings import slurm_conf


class Cluster(HostCluster):
    def __init__(self, folder: pathlib.Path, nodes: int = 2, cpus: int = 2, gpus: int = 0, memory_mb: int = 2048, hosts_files=None,
                 remembers_s: int = 300, has_accounts: bool = False):
        self.has_accounts = has_accounts
        for name in ("state", "log", "run"):
            (folder / name).mkdir(parents=True)
        specs = specs_of(nodes)
        for name, text in (hosts_files or {}).items():
            file = folder / f"hosts-{name}"
            file.write_text(text + "".join(f"{spec.address} {spec.name}\n" for spec in specs if spec.name != name))
            next(spec for spec in specs if spec.name == name).hosts_file = str(file)
        conf = folder / "slurm.conf"
        accounts = accounting.slurm_conf_lines(folder) if has_accounts else []
        conf.write_text(slurm_conf(folder, specs, cpus, gpus, memory_mb, remembers_s) + "".join(f"{line}\n" for line in accounts))
        self._write_gpus(folder, gpus)
        super().__init__(folder, specs, {"SLURM_CONF": str(conf)})

    @staticmethod
    def _write_gpus(folder: pathlib.Path, count: int):
        """Devices that are none: Slurm hands them out all the same."""
        for number in range(count):
            os.mknod(folder / f"gpu{number}", 0o20666, os.makedev(1, 3))
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        if count:
            (folder / "gres.conf").write_text(f"Name=gpu File={folder}/gpu[0-{count - 1}]\n")

    def _start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        run = self.folder / "run"
        self._daemon(LOGIN, ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={run}/munge.sock",
                             f"--pid-file={run}/munged.pid", f"--log-file={self.folder}/log/munged.log",
                             f"--seed-file={run}/munged.seed"])
        self._until(lambda: (run / "munge.sock").exists(), "munge answers")
        if self.has_accounts:
            self._start_accounting()
        self._start_controller("-c")
        for name in self.nodes:
            self.start_node(name)
        self._until(lambda: self._states() == {"idle"}, "all nodes are idle")

    def _start_controller(self, *words: str):
        self._controller = self._daemon(LOGIN, ["slurmctld", "-D", *words, "-i", "-f", self.folder / "slurm.conf"])

    def kill_controller(self):
        """What it has not written down yet it has forgotten: it writes every few seconds."""
        self._controller.kill()
        self._controller.wait()

    def revive_controller(self):
        self._start_controller()
        self._until(lambda: self._succeeds(["squeue"]), "the controller answers")

    def _start_accounting(self):
        socket = accounting.database_socket(self.folder)
        self.run(accounting.install_database_command(self.folder))
        self._daemon(LOGIN, accounting.database_command(self.folder))
        self._until(socket.exists, "the database answers")
        accounting.write_slurmdbd_conf(self.folder)
        self._daemon(LOGIN, ["env", f"MYSQL_UNIX_PORT={socket}", "slurmdbd", "-D"], "slurmdbd")
        self._until(lambda: self._succeeds(["sacctmgr", "-n", "list", "cluster"]), "the accounts can be asked")
        self.run(["sacctmgr", "-i", "add", "cluster", "lab"])
        self.run(["sacctmgr", "-i", "add", "account", accounting.ACCOUNT])
        self.run(["sacctmgr", "-i", "add", "user", accounting.own_name(), f"account={accounting.ACCOUNT}"])

    def start_node(self, name: str):
        (self.folder / f"spool-{name}").mkdir(exist_ok=True)
        self._daemon(name, ["slurmd", "-D", "-N", name, "-f", self.folder / "slurm.conf"])

    def _states(self) -> set[str]:
        try:
            return set(self.run(["sinfo", "-h", "-N", "-o", "%T"]).split())
        except LabError:
            return set()

    def _succeeds(self, command: list) -> bool:
        try:
            self.run(command)
        except LabError:
            return False
        return True
