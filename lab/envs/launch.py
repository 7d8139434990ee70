"""Starts a check script the way a user starts a job, on two ranks of this machine."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

from step import run

RANKS = 2
TIMEOUT_S = 180
QUIET = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""}
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
FAN_OUT = Path(__file__).resolve().parent / "checks" / "fan_out.py"


def launch_check(python: Path, script: Path, launcher: str, log: Path) -> None:
    environ = {"PATH": f"{python.parent}:/usr/local/bin:/usr/bin:/bin", **QUIET, **OPEN_MPI}
    run(
        command_for(launcher, str(python), str(script)), what=f"check {script.name} by {launcher}", log=log,
        hint="the environment is installed but does not work; the log holds what its ranks said", timeout_s=TIMEOUT_S,
        environ=environ,
    )


def command_for(launcher: str, python: str, script: str) -> list[str]:
    match launcher:
        case "alone":
            return [python, script]
        case "env":
            return fan_out(env_of_ranks(), python, script)
        case "tf_config":
            return fan_out(tf_config_of_ranks(), python, script)
        case "horovodrun_gloo":
            return [f"{Path(python).parent}/horovodrun", "--gloo", "-np", str(RANKS), "-H", f"localhost:{RANKS}",
                    "--network-interfaces", "lo", python, script]
        case "horovodrun_mpi":
            return [f"{Path(python).parent}/horovodrun", "--mpi", "-np", str(RANKS), "-H", f"localhost:{RANKS}",
                    "--mpi-args=--oversubscribe", python, script]
        case "mpirun":
            return ["mpirun", "--oversubscribe", "-np", str(RANKS), python, script]
    raise ValueError(f"envs.toml names an unknown launcher: {launcher}")


def fan_out(environs: list[dict[str, str]], *command: str) -> list[str]:
    return [sys.executable, str(FAN_OUT), json.dumps(environs), *command]


def env_of_ranks() -> list[dict[str, str]]:
    port = str(free_ports(1)[0])
    meeting = {"WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    return [{**meeting, "RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(RANKS)]


def tf_config_of_ranks() -> list[dict[str, str]]:
    cluster = {"worker": [f"127.0.0.1:{port}" for port in free_ports(RANKS)]}
    tasks = [{"type": "worker", "index": rank} for rank in range(RANKS)]
    return [{"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})} for task in tasks]


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [opened.getsockname()[1] for opened in sockets]
    for opened in sockets:
        opened.close()
    return ports
