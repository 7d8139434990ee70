"""The faulty runs whose flight-recorder dumps Lockstep is tried on: over Gloo in the tests, over NCCL by lab/gpu."""

import pathlib
from dataclasses import dataclass, field

from harness import flight_dumps, registry
from harness.fault_spec import parse_fault
from harness.job_run import JobRun
from harness.run_spec import RunSpec

RANKS = 4
FAULTY = 2
QUIET_S = 3
STEPS_BEFORE = 2  # the faulty rank prints this step in every run, and the fault comes after it


@dataclass(frozen=True)
class FlightRun:
    job: str = "torch_faults"
    environ: dict[str, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    steps: int = 6


def in_step_3(fault: str) -> FlightRun:
    return FlightRun(environ={"LAB_FAULT": f"{fault}:{FAULTY}@3"})


RUNS = {
    "missing_rank": in_step_3("missing"),
    "another_shape": in_step_3("shape"),
    "another_type": in_step_3("dtype"),
    "skipped_collective": in_step_3("skip"),
    "order_inversion": in_step_3("order"),
    "killed_rank": FlightRun(faults=(f"kill:{FAULTY}@{STEPS_BEFORE}",), steps=10**6),
    "left_early": FlightRun("torch_ddp", {"LAB_LEAVE_EARLY": f"{FAULTY}:3"}),
    "healthy": FlightRun(),
}


def spec_of(run: FlightRun, dumps: pathlib.Path, **more) -> RunSpec:
    environ = flight_dumps.environ(dumps) | run.environ | more.pop("environ", {})
    return RunSpec(registry.load_registry()[run.job], "env", ranks=RANKS, steps=run.steps, environ=environ,
                   faults=[parse_fault(fault) for fault in run.faults], **({"timeout_s": 90} | more))


def take_gloo_dumps(name: str, folder: pathlib.Path, environ: dict[str, str] | None = None) -> list[int]:
    """Runs it, waits until nothing moves, and leaves folder/dumps; the ranks that left one."""
    with JobRun(spec_of(RUNS[name], folder / "dumps", environ=environ or {}), folder / "run") as run:
        run.wait_for(FAULTY, STEPS_BEFORE)
        run.wait_quiet(QUIET_S)
        return flight_dumps.take(run, folder / "dumps")
