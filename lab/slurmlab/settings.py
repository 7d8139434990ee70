"""The settings of the lab's Slurm."""

import pathlib

CONTROLLER_PORT, NODE_PORT = 16817, 16818


def slurm_conf(folder: pathlib.Path, specs: list, cpus: int, gpus: int, memory_mb: int, remembers_s: int) -> str:
    controller, nodes = specs[0], specs[1:]
    lines = [
        "ClusterName=lab",
        f"SlurmctldHost={controller.name}({controller.address})",
        "SlurmUser=root",
        "SlurmdUser=root",
        "AuthType=auth/munge",
        f"AuthInfo=socket={folder}/run/munge.sock,cred_expire=5",
        f"SlurmctldPort={CONTROLLER_PORT}",
        f"StateSaveLocation={folder}/state",
        f"SlurmdSpoolDir={folder}/spool-%n",
        f"SlurmctldPidFile={folder}/run/slurmctld.pid",
        f"SlurmdPidFile={folder}/run/slurmd-%n.pid",
        f"SlurmctldLogFile={folder}/log/slurmctld.log",
        f"SlurmdLogFile={folder}/log/slurmd-%n.log",
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core",
        "SchedulerParameters=sched_interval=2,bf_interval=2,sched_min_interval=0,batch_sched_delay=0",
        "ReturnToService=2",
        "MpiDefault=none",
        "MailProg=/bin/true",
        "SlurmdParameters=config_overrides",
        "KillWait=5",
        "SlurmdTimeout=10",
        "JobCompType=jobcomp/none",
        "JobAcctGatherType=jobacct_gather/none",
        f"MinJobAge={remembers_s}",
    ]
    if gpus:
        lines.append("GresTypes=gpu")
    each = f"Port={NODE_PORT} CPUs={cpus} RealMemory={memory_mb} State=UNKNOWN" + (f" Gres=gpu:{gpus}" if gpus else "")
    lines += [f"NodeName={spec.name} NodeAddr={spec.address} {each}" for spec in nodes]
    lines.append("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
    lines.append(f"PartitionName=short Nodes={nodes[0].name} MaxTime=10 State=UP")
    return "\n".join(lines) + "\n"
