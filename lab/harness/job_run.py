"""One run of a job, from its folder to its result.

    with JobRun(RunSpec(job, launcher="torchrun")) as run:
        run.wait_for(rank=1, step=3)
        run.stop(1)
        result = run.wait()

Every wait is driven by events (a file grew, a process ended, a timer is due) and bounded by the
run's timeout. On timeout the stacks of all ranks go into the folder, the whole process tree is ended
and RunTimeout is raised. The folder of a run that raised is kept; others are deleted unless the
caller named the folder or sets `keep`.
"""

import math
import os
import pathlib
import select
import shutil
import signal
import sys
import time
from dataclasses import dataclass, field

from harness import launchers, process_tree, rank_control, registry, stacks
from harness.errors import LabError, RunTimeout
from harness.fault_spec import parse_fault
from harness.faults import FaultPlan
from harness.hosts import Hosts, require_root
from harness.job_environ import job_environ
from harness.keeper_link import KeeperLink
from harness.output import RankProgress
from harness.ports import PortClaims
from harness.recorded import under_lockstep
from harness.rank_output import RankOutput
from harness.run_folder import make_run_folder, short_name, write_json, write_plan
from harness.run_spec import RunSpec
from harness.scratch import make_scratch


@dataclass
class RunResult:
    """status is the job's own: of the launcher, or of the first rank that failed."""
    status: int
    exits: dict[str, int]
    ranks: dict[int, RankProgress]
    faults: list[dict] = field(default_factory=list)
    duration_s: float = 0.0

    @property
    def losses(self) -> dict[int, dict[int, str]]:
        return {rank: progress.losses for rank, progress in sorted(self.ranks.items())}

    @property
    def params(self) -> dict[int, str]:
        return {rank: progress.params for rank, progress in sorted(self.ranks.items())}


class JobRun:
    def __init__(self, spec: RunSpec, folder: str | os.PathLike | None = None, on_line=None, on_hang=None):
        """on_hang() is called when the job got nowhere in time, before anyone touches its processes."""
        if spec.hosts:
            require_root()
        self.spec = spec
        self.keep = folder is not None
        self.folder = make_run_folder(spec, folder)
        self.hosts: Hosts | None = None
        self.faults = FaultPlan(spec.faults, self.host_of)
        self._on_line = on_line
        self._on_hang = on_hang
        self._ports = PortClaims()
        self._keeper: KeeperLink | None = None
        self._output: RankOutput | None = None
        self._scratch: pathlib.Path | None = None
        self._timed_out = False

    # -- life ---------------------------------------------------------------------------------

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.keep = any(self.folder.iterdir()) and self.keep
            self.close(failed=False)
            raise
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, RunTimeout):
            print(f"lab: {self.spec.job.name} under {self.spec.launcher}: {error}", file=sys.stderr)
        reader_left = isinstance(error, BrokenPipeError)
        if reader_left:
            self._output.show_no_more()
        self.close(failed=isinstance(error, Exception) and not reader_left)

    def start(self):
        program = registry.program_of(self.spec.job)
        if self.spec.hosts:
            self.hosts = Hosts(self.spec.host_specs())
        self._scratch = make_scratch()
        around = launchers.Surroundings(self.folder, program, job_environ(self.spec, self._scratch),
                                        self._ports, self.hosts)
        plan = launchers.make_plan(self.spec, around)
        if self.spec.record:
            plan = under_lockstep(plan, self.spec, self.folder)
        write_plan(self.folder, self.spec, plan, self._scratch)
        self._output = RankOutput(self.folder, plan, self._on_line)
        self._started = time.monotonic()
        self._deadline = self._started + self.spec.timeout_s
        self._keeper = KeeperLink(self.folder)

    def close(self, failed: bool):
        """Ends whatever still runs and gives everything back."""
        self.end()
        self.faults.close()
        if self._output:
            self._output.close()
        if self.hosts:
            self.hosts.close()
        self._ports.release()
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
        if failed:
            self.keep = True
            print(self.describe_kept(), file=sys.stderr)
        elif not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def describe_kept(self) -> str:
        return (f"lab: the run's folder is kept: {short_name(self.folder)}\n"
                f"lab: run it again with: {self.spec.command_line()}")

    # -- waiting ------------------------------------------------------------------------------

    @property
    def ranks(self) -> dict[int, RankProgress]:
        return self._output.progress if self._output else {}

    def wait_for(self, rank: int, step: int | None = None, timeout_s: float | None = None):
        """Until the rank is ready, or has printed the step; an error if the job ends before that."""
        def reached() -> bool:
            progress = self.ranks.get(rank)
            if progress is None or not progress.ready:
                return False
            return step is None or (progress.last_step is not None and progress.last_step >= step)
        what = f"rank {rank} to be ready" if step is None else f"step {step} of rank {rank}"
        self._wait_until(lambda: reached() or self.ended, what, timeout_s)
        if not reached():
            raise LabError(f"the job ended before {what.replace(' to be ready', ' was ready')}")

    def wait_ready(self, timeout_s: float | None = None):
        for rank in range(self.spec.ranks):
            self.wait_for(rank, timeout_s=timeout_s)

    def wait(self, timeout_s: float | None = None) -> RunResult:
        """Until the job has ended."""
        self._wait_until(lambda: self.ended, "the job to end", timeout_s)
        return self.result()

    def wait_for_exit(self, timeout_s: float | None = None) -> dict[str, int]:
        """Until some process the harness started has ended; the status of each that has. A fault can
        end one rank and leave its peer waiting for ever, as a reset connection does with Gloo."""
        self._wait_until(lambda: self.exits or self.ended, "a process to end", timeout_s)
        return dict(self.exits)

    def wait_quiet(self, seconds: float):
        """Until every rank is ready and none has said anything for a time, or the job has ended."""
        self._wait_until(lambda: self.ended or self.quiet_left(seconds) <= 0,
                         "the ranks to fall quiet", None, lambda: self.quiet_left(seconds))

    def let_pass(self, seconds: float):
        """Watches for a time, to see what does not happen; faults strike meanwhile."""
        until = time.monotonic() + seconds
        while not self.ended and (left_s := until - time.monotonic()) > 0:
            self._wake(left_s)
            self._take_in()

    @property
    def ended(self) -> bool:
        return self._keeper is None or self._keeper.gone

    @property
    def cpu_s(self) -> float:
        """Processor time of all its processes, once it has ended."""
        return self._keeper.cpu_s if self._keeper else 0.0

    @property
    def exits(self) -> dict[str, int]:
        """The status of every process the harness started that has ended."""
        return self._keeper.exits if self._keeper else {}

    def result(self) -> RunResult:
        status = 124 if self._timed_out else self._keeper.status
        result = RunResult(status, dict(self.exits), self.ranks, self.faults.struck,
                           time.monotonic() - self._started)
        write_json(self.folder / "result.json", {
            "status": result.status, "exits": result.exits, "faults": result.faults,
            "not_struck": [str(fault) for fault in self.faults.waiting()],
            "duration_s": round(result.duration_s, 3), "command": self.spec.command_line(),
            "ranks": {rank: {"last_step": progress.last_step, "params": progress.params}
                      for rank, progress in sorted(self.ranks.items())}})
        return result

    # -- hurting ------------------------------------------------------------------------------

    def kill(self, rank: int):
        self.strike(f"kill:{rank}")

    def stop(self, rank: int):
        self.strike(f"stop:{rank}")

    def resume(self, rank: int):
        rank_control.send(self.ranks[rank].pid, signal.SIGCONT)

    def strike(self, fault: str):
        """Any fault of the command line, now; its step is not waited for."""
        self.faults.strike(parse_fault(fault), self.ranks)

    def host_of(self, rank: int):
        return self.hosts[rank // self.spec.ranks_per_host()] if self.hosts else None

    # -- ending -------------------------------------------------------------------------------

    def end(self):
        """Ends the job: launchers get a moment to end their ranks, then everything is killed."""
        if not self.ended:
            self._keeper.end()
            self._output.finish()

    def collect_stacks(self) -> list[str]:
        """stacks/rank_N.txt for every rank, and for the launchers."""
        return stacks.collect(self._processes(), self.folder / "stacks")

    def _processes(self) -> dict[str, int]:
        found = {f"rank_{rank}": progress.pid for rank, progress in self.ranks.items()
                 if progress.ready}
        for pid in process_tree.descendants(self._keeper.pid):
            rank = process_tree.rank_in(process_tree.environ_of(pid))
            if rank is not None:
                found.setdefault(f"rank_{rank}", pid)
        found.update({name: pid for name, pid in self._keeper.pids.items()
                      if name.startswith("launcher")})
        return dict(sorted(found.items()))

    # -- the loop -----------------------------------------------------------------------------

    def _wait_until(self, condition, what: str, timeout_s: float | None,
                    next_look_s=lambda: math.inf):
        """Looks at the condition after every event, and once more when next_look_s says so."""
        deadline = self._deadline
        if timeout_s is not None:
            deadline = min(deadline, time.monotonic() + timeout_s)
        self._take_in()
        while not condition():
            left_s = deadline - time.monotonic()
            quiet_left_s = self.quiet_left(self.spec.stall_s)
            if left_s <= 0:
                self._time_out(f"timed out after {time.monotonic() - self._started:.0f} s "
                               f"waiting for {what}")
            if quiet_left_s <= 0:
                self._time_out(f"no rank has said anything for {self.spec.stall_s:g} s "
                               f"while waiting for {what}")
            self._wake(min(left_s, quiet_left_s, next_look_s()))
            self._take_in()

    def quiet_left(self, limit_s: float | None) -> float:
        """Seconds until the ranks have been quiet for the limit; endless until all are ready."""
        if limit_s is None or sum(rank.ready for rank in self.ranks.values()) < self.spec.ranks:
            return math.inf
        return self._output.heard_at + limit_s - time.monotonic()

    def _wake(self, seconds: float):
        """Sleeps until a file grows, a process ends, a timer is due or the time is over."""
        timer_s = self.faults.seconds_to_next_timer()
        seconds = seconds if timer_s is None else min(seconds, timer_s)
        poll = select.poll()
        poll.register(self._output.fd, select.POLLIN)
        poll.register(self._keeper, select.POLLIN)
        if any(descriptor == self._keeper.fileno() for descriptor, _ in poll.poll(seconds * 1000 + 1)):
            self._keeper.hear()
            if self.ended:
                self._output.finish()

    def _take_in(self):
        if self.ended:
            return
        self._output.read()
        self.faults.run_timers()
        self.faults.strike_due(self.ranks)

    def _time_out(self, what: str):
        if self._on_hang:
            self._on_hang()
        written = [] if self.spec.record else self.collect_stacks()  # a stopped rank would be seen as one
        where = {rank: self.ranks[rank].describe() if rank in self.ranks else "not ready"
                 for rank in range(self.spec.ranks)}
        self.end()
        self._timed_out = True
        self.result()
        raise RunTimeout(
            f"{what}; " + ", ".join(f"rank {rank}: {state}" for rank, state in where.items())
            + (f"; stacks of {len(written)} processes in {short_name(self.folder / 'stacks')}" if written else ""))
