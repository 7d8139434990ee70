"""The environment every process of a job starts with."""

import os
import pathlib

from harness.run_spec import RunSpec

# What another launcher or the user's shell may have left behind and a job would believe. LAB_ is
# here so that the printed command line makes the same run in anybody's shell.
_FOREIGN = ("LAB_", "TORCHELASTIC_", "OMPI_", "PMIX_", "PMI_", "HOROVOD_", "GLOO_", "NCCL_", "SLURM_",
            "TF_", "KERAS_", "PYTHON")
_FOREIGN_NAMES = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR",
                  "MASTER_PORT", "http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY",
                  "HTTPS_PROXY", "ALL_PROXY", "GRPC_PROXY", "grpc_proxy", "VIRTUAL_ENV", "LD_PRELOAD"}


def job_environ(spec: RunSpec, scratch: pathlib.Path) -> dict[str, str]:
    environ = {name: value for name, value in os.environ.items()
               if name not in _FOREIGN_NAMES and not name.startswith(_FOREIGN)}
    environ |= {"OMP_NUM_THREADS": "1", "TMPDIR": str(scratch)}
    if not spec.hosts:
        environ |= {"GLOO_SOCKET_IFNAME": "lo", "HOROVOD_GLOO_IFACE": "lo",
                    "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_oob_tcp_if_include": "lo"}
    if spec.steps is not None:
        environ["LAB_STEPS"] = str(spec.steps)
    if spec.seed is not None:
        environ["LAB_SEED"] = str(spec.seed)
    return environ | spec.job.environ | spec.environ
