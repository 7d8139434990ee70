"""The scripts that a user would start on each host, one for each, or one on the first where a launcher reaches the others."""

import json
import pathlib
import shlex

from clusterlab.case import FOLDER, Case

CACHE = pathlib.Path.home() / ".cache/lockstep-lab"
STARTED_ON_FIRST = ("mpirun", "horovodrun")
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def binary(environment: str, name: str) -> str:
    found = sorted(CACHE.glob(f"{environment}-*/bin/{name}"))
    assert found, f"no {environment} among the lab's environments: run  make lab-deps"
    return str(found[-1])


def scripts_of(case: Case, folder: pathlib.Path) -> list[str]:
    """A text for each host; one text for a launcher that starts on the first."""
    hosts = [0] if case.stack in STARTED_ON_FIRST else range(len(case.hosts))
    return ["\n".join(["#!/bin/bash", *_lines(case, index, folder)]) + "\n" for index in hosts]


def _lines(case: Case, index: int, folder: pathlib.Path) -> list[str]:
    own = case.hosts[index]
    environ, command = {"torch": _torch, "torchrun": _torchrun, "c10d": _c10d, "tensorflow": _tensorflow,
                        "mpirun": _mpirun, "horovodrun": _horovodrun}[case.stack](case, index, folder)
    environ |= {key: str(value) for key, value in own.environ.items()}
    lines = [f"export {key}={shlex.quote(value)}" for key, value in environ.items() if value != "(unset)"]
    return [*lines, shlex.join(command)]


def _flags(usual: dict, own: dict, before: str = "--") -> list[str]:
    words = []
    for key, value in (usual | own).items():
        if value != "(none)":
            words += [before + key.replace("_", "-"), str(value)]
    return words


def _torch(case: Case, index: int, _) -> tuple[dict, list[str]]:
    environ = {"RANK": str(index), "WORLD_SIZE": str(len(case.hosts)), "MASTER_ADDR": "host0", "MASTER_PORT": "29500"}
    return environ, [binary(case.hosts[index].python or "torch", "python"), str(FOLDER / "jobs/torch_sum.py")]


def _torchrun(case: Case, index: int, _) -> tuple[dict, list[str]]:
    usual = {"nnodes": len(case.hosts), "node_rank": index, "nproc_per_node": 1, "master_addr": "host0",
             "master_port": 29500}
    return {}, [binary("torch", "torchrun"), *_flags(usual, case.hosts[index].flags), str(FOLDER / "jobs/torch_sum.py")]


def _c10d(case: Case, index: int, _) -> tuple[dict, list[str]]:
    usual = {"nnodes": len(case.hosts), "nproc_per_node": 1, "rdzv_backend": "c10d", "rdzv_endpoint": "host0:29400",
             "rdzv_id": "lab"}
    return {}, [binary("torch", "torchrun"), *_flags(usual, case.hosts[index].flags), str(FOLDER / "jobs/torch_sum.py")]


def _tensorflow(case: Case, index: int, _) -> tuple[dict, list[str]]:
    addresses = case.task_hosts or [f"host{k}:12345" for k in range(len(case.hosts))]
    cluster = case.cluster_of.get(f"host{index}", addresses)
    task = {"type": "worker", "index": case.hosts[index].flags.get("index", index)}
    config = {"cluster": {"worker": cluster}, "task": task}
    return {"TF_CONFIG": json.dumps(config), "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "1"}, [
        binary("tensorflow", "python"), str(FOLDER / "jobs/tf_sum.py")]


def _mpirun(case: Case, index: int, folder: pathlib.Path) -> tuple[dict, list[str]]:
    own = dict(case.hosts[0].flags)
    mca = own.pop("mca", {})
    hosts = own.pop("hosts", ",".join(f"host{k}:1" for k in range(len(case.hosts))))
    words = ["mpirun", "-np", str(own.pop("np", len(case.hosts))), "--bind-to", "none", "-H", hosts]
    words += ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
    for key, value in mca.items():
        words += ["--mca", key, str(value)]
    program = sorted((CACHE / "programs").glob("mpi_ring-*"))[-1]
    return OPEN_MPI | {"OMPI_MCA_plm_rsh_agent": str(folder / "bin/ssh"), "LAB_STEPS": "1"}, [*words, str(program)]


def _horovodrun(case: Case, index: int, folder: pathlib.Path) -> tuple[dict, list[str]]:
    own = dict(case.hosts[0].flags)
    hosts = own.pop("hosts", ",".join(f"host{k}:1" for k in range(len(case.hosts))))
    horovodrun = pathlib.Path(binary("horovod-torch", "horovodrun"))
    words = [str(horovodrun), "-np", str(own.pop("np", len(case.hosts))), "--gloo", "-H", hosts, *_flags({}, own)]
    path = f"{horovodrun.parent}:{folder / 'bin'}:/usr/bin:/bin:/usr/sbin:/sbin"
    return {"PATH": path, "LAB_STEPS": "1"}, [*words, str(horovodrun.parent / "python"),
                                              str(FOLDER.parent / "jobs/horovod_torch.py")]
