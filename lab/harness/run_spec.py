"""Everything that decides a run, and the one command line that makes the same run again."""

import shlex
from dataclasses import dataclass, field

from harness.errors import LabError
from harness.fault_spec import Fault
from harness.host_spec import HostSpec, parse_host_options
from harness.registry import Job


@dataclass
class RunSpec:
    job: Job
    launcher: str = ""
    ranks: int = 0
    hosts: int = 0
    steps: int | None = None
    seed: int | None = None
    environ: dict[str, str] = field(default_factory=dict)
    rank_environ: dict[int, dict[str, str]] = field(default_factory=dict)
    rank_files: dict[int, dict[str, str]] = field(default_factory=dict)
    rank_envs: dict[int, str] = field(default_factory=dict)  # of ranks that have another environment than the job
    host_options: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    timeout_s: float = 120.0
    stall_s: float | None = None
    record: bool = False  # under `lockstep run`
    record_flags: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.launcher = self.launcher or self.job.launchers[0]
        self.ranks = self.ranks or self.job.ranks
        self._check()

    def _check(self):
        if self.launcher not in self.job.launchers:
            raise LabError(f"{self.job.name} does not run under {self.launcher!r}; "
                           f"it runs under {', '.join(self.job.launchers)}")
        if self.job.roles and self.ranks != self.job.ranks:
            raise LabError(f"{self.job.name} has fixed roles and runs with "
                           f"{self.job.ranks} ranks only")
        if self.hosts and self.ranks % self.hosts:
            raise LabError(f"{self.ranks} ranks do not divide over {self.hosts} hosts")
        if self.host_options and not self.hosts:
            raise LabError("--host describes one of the hosts; say how many with --hosts")
        named = ([fault.rank for fault in self.faults] + list(self.rank_environ)
                 + [fault.peer for fault in self.faults if fault.peer is not None]
                 + list(self.rank_files) + list(self.rank_envs))
        for rank in named:
            if not 0 <= rank < self.ranks:
                raise LabError(f"there is no rank {rank}: the job has ranks 0 to {self.ranks - 1}")
        if self.rank_envs and self.launcher not in ("env", "tf_config"):
            raise LabError(f"{self.launcher} starts all ranks with one interpreter; another environment needs env or tf_config")
        for fault in self.faults:
            if fault.needs_hosts and not self.hosts:
                raise LabError(f"the fault {fault} needs --hosts")

    def host_specs(self) -> list[HostSpec]:
        return parse_host_options(self.hosts, self.host_options)

    def ranks_per_host(self) -> int:
        return self.ranks // self.hosts if self.hosts else self.ranks

    def command_line(self) -> str:
        words = ["lab/run", self.job.name, "--launcher", self.launcher, "--ranks", str(self.ranks)]
        words += ["--hosts", str(self.hosts)] if self.hosts else []
        words += ["--steps", str(self.steps)] if self.steps is not None else []
        words += ["--seed", str(self.seed)] if self.seed is not None else []
        words += [word for option in self.host_options for word in ("--host", option)]
        words += [word for key, value in self.environ.items() for word in ("--env", f"{key}={value}")]
        for flag, changes in (("--rank-env", self.rank_environ), ("--rank-file", self.rank_files)):
            words += [word for rank, pairs in changes.items() for key, value in pairs.items()
                      for word in (flag, f"{rank}:{key}={value}")]
        words += [word for fault in self.faults for word in ("--fault", str(fault))]
        words += ["--stall", f"{self.stall_s:g}"] if self.stall_s is not None else []
        words += ["--record"] if self.record else []
        words += [f"--record-flag={flag}" for flag in self.record_flags]
        return shlex.join(words + ["--timeout", f"{self.timeout_s:g}"])
