"""How each launcher starts a job: the processes to start, and where each rank's output goes.

`env` and `tf_config` start one process per rank and write rank_N.out and rank_N.err directly. The
others own their ranks' output and are told to keep it apart by rank in a folder of their own; the
run links each file as rank_N.out as soon as it appears.
"""

import json
import os
import pathlib
import re
import sys
from dataclasses import dataclass, field

from harness import registry
from harness.errors import LabError
from harness.host_shell import write_host_shell
from harness.hosts import Hosts
from harness.ports import PortClaims
from harness.run_spec import RunSpec

TORCHRUN_LOG = re.compile(r"attempt_(?P<attempt>\d+)/(?P<rank>\d+)/(?P<stream>stdout|stderr)\.log$")
MPI_LOG = re.compile(r"rank\.(?P<rank>\d+)/(?P<stream>stdout|stderr)$")

# A waiting MPI rank spins and would take a core from ranks that work; on a few cores it must yield.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1"}


@dataclass
class Process:
    name: str
    argv: list[str]
    environ: dict[str, str]
    host_pid: int = 0


@dataclass
class LogFolder:
    """Where a launcher writes its ranks' output, and the rank of its local rank 0."""
    path: pathlib.Path
    pattern: re.Pattern
    first_rank: int = 0


@dataclass
class Plan:
    processes: list[Process] = field(default_factory=list)
    log_folders: list[LogFolder] = field(default_factory=list)


@dataclass
class Surroundings:
    """What a launcher needs to know besides the spec."""
    folder: pathlib.Path
    program: list[str]
    environ: dict[str, str]
    ports: PortClaims
    hosts: Hosts | None

    def host_of(self, spec: RunSpec, rank: int):
        return self.hosts[rank // spec.ranks_per_host()] if self.hosts else None


def make_plan(spec: RunSpec, around: Surroundings) -> Plan:
    plan = {"env": _env, "tf_config": _tf_config, "torchrun": _torchrun, "mpirun": _mpirun,
            "horovodrun_gloo": _horovodrun, "horovodrun_mpi": _horovodrun}
    return plan[spec.launcher](spec, around)


def _env(spec: RunSpec, around: Surroundings) -> Plan:
    address, port = _master(around)
    plan = Plan()
    for rank in range(spec.ranks):
        environ = around.environ | {
            "RANK": str(rank), "WORLD_SIZE": str(spec.ranks),
            "LOCAL_RANK": str(rank % spec.ranks_per_host()),
            "LOCAL_WORLD_SIZE": str(spec.ranks_per_host()),
            "MASTER_ADDR": address, "MASTER_PORT": str(port)}
        plan.processes.append(_rank_process(spec, around, rank, environ))
    return plan


def _tf_config(spec: RunSpec, around: Surroundings) -> Plan:
    """Ranks count through the roles in the order chief, worker, ps, as the registry has them."""
    roles = spec.job.roles or {"worker": spec.ranks}
    tasks = [(role, index) for role, count in roles.items() for index in range(count)]
    cluster: dict[str, list[str]] = {}
    for rank, (role, _) in enumerate(tasks):
        host = around.host_of(spec, rank)
        address = host.address if host else "127.0.0.1"
        cluster.setdefault(role, []).append(f"{address}:{around.ports.claim()}")
    plan = Plan()
    for rank, (role, index) in enumerate(tasks):
        config = {"cluster": cluster, "task": {"type": role, "index": index}}
        environ = around.environ | {"TF_CONFIG": json.dumps(config), "LAB_RANK": str(rank),
                                    "LAB_WORLD_SIZE": str(spec.ranks)}
        plan.processes.append(_rank_process(spec, around, rank, environ))
    return plan


def _torchrun(spec: RunSpec, around: Surroundings) -> Plan:
    """One torchrun on each host, as a user would start it. Both streams go to files, and errors to
    the launcher's own as well: --redirects 3 says the first half shorter, but PyTorch 1.13 loses its
    way on it under Python 3.11, whose flags no longer list their unions. A recording needs all output."""
    address, port = _master(around)
    plan = Plan()
    count = max(spec.hosts, 1)
    per_host = spec.ranks_per_host()
    for node in range(count):
        suffix = f"_{around.hosts[node].name}" if around.hosts else ""
        logs = around.folder / f"logs{suffix}"
        argv = [spec_python(around), "-m", "torch.distributed.run",
                "--nnodes", str(count), "--node_rank", str(node), "--nproc_per_node", str(per_host),
                "--master_addr", address, "--master_port", str(port),
                *(("--tee", "3") if spec.record else ("--redirects", "1", "--tee", "2")), "--log_dir", str(logs)]
        argv += _torchrun_script(spec, around)
        host = around.hosts[node] if around.hosts else None
        plan.processes.append(Process(f"launcher{suffix}", argv, around.environ,
                                      host.pid if host else 0))
        plan.log_folders.append(LogFolder(logs, TORCHRUN_LOG, node * per_host))
    return plan


def _mpirun(spec: RunSpec, around: Surroundings) -> Plan:
    logs = around.folder / "logs"
    argv = ["mpirun", "-np", str(spec.ranks), "--oversubscribe", "--bind-to", "none",
            "--output-filename", str(logs) if spec.record else f"{logs}:nocopy"]
    environ = around.environ | OPEN_MPI
    return _one_launcher(spec, around, argv, environ, "-H", logs)


def _horovodrun(spec: RunSpec, around: Surroundings) -> Plan:
    logs = around.folder / "logs"
    python = pathlib.Path(spec_python(around))
    argv = [str(python.parent / "horovodrun"), "-np", str(spec.ranks),
            "--gloo" if spec.launcher == "horovodrun_gloo" else "--mpi",
            "--output-filename", str(logs)]
    if spec.launcher == "horovodrun_mpi":
        argv += ["--mpi-args", "--oversubscribe --bind-to none"]
    environ = around.environ | OPEN_MPI | {
        "PATH": f"{python.parent}{os.pathsep}{around.environ.get('PATH', os.defpath)}"}
    if not around.hosts:
        argv += ["--network-interfaces", "lo"]
    return _one_launcher(spec, around, argv, environ, "-H", logs)


def _one_launcher(spec: RunSpec, around: Surroundings, argv: list[str], environ: dict[str, str],
                  host_flag: str, logs: pathlib.Path) -> Plan:
    """A launcher that starts on the first host and reaches the others by a remote shell."""
    host_pid = 0
    if around.hosts:
        shell = write_host_shell(around.folder / "bin", around.hosts)
        environ = environ | {"OMPI_MCA_plm_rsh_agent": str(shell),
                             "PATH": f"{shell.parent}{os.pathsep}{environ['PATH']}"}
        per_host = spec.ranks_per_host()
        argv = argv + [host_flag, ",".join(f"{host.name}:{per_host}" for host in around.hosts)]
        host_pid = around.hosts[0].pid
    argv = argv + _with_changes(spec, around)
    return Plan([Process("launcher", argv, environ, host_pid)], [LogFolder(logs, MPI_LOG)])


def _rank_process(spec: RunSpec, around: Surroundings, rank: int, environ: dict[str, str]) -> Process:
    host = around.host_of(spec, rank)
    argv = _with_changes(spec, around)
    if rank in spec.rank_envs:
        python = registry.python_of(spec.rank_envs[rank])
        argv = [python if word == spec_python(around) else word for word in argv]
    return Process(f"rank_{rank}", argv, environ, host.pid if host else 0)


def _master(around: Surroundings) -> tuple[str, int]:
    """Hosts have their ports to themselves and use the customary one."""
    if around.hosts:
        return around.hosts[0].address, 29500
    return "127.0.0.1", around.ports.claim()


def spec_python(around: Surroundings) -> str:
    if len(around.program) < 2:
        raise LabError("this launcher starts Python programs only")
    return around.program[0]


def _torchrun_script(spec: RunSpec, around: Surroundings) -> list[str]:
    """The script, as torchrun wants it: with a changed rank, a program that is not Python."""
    if _changed(spec):
        return ["--no_python", *_with_changes(spec, around)]
    return around.program[1:]


def _with_changes(spec: RunSpec, around: Surroundings) -> list[str]:
    """The rank's command, through rank_start where some rank has its own variables or files."""
    if not _changed(spec):
        return around.program
    start = pathlib.Path(__file__).with_name("rank_start.py")
    return [sys.executable, str(start), str(around.folder / "changes.json"), *around.program]


def _changed(spec: RunSpec) -> bool:
    return bool(spec.rank_environ or spec.rank_files)
