"""The phases that make the demos ready, each as soon as what it needs is there, beside each other.

One line for each phase when it has ended; on a terminal one more that changes, with what is at work. What the programs say goes to
a log for each phase in build/demo-setup.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build/demo-setup"
TAIL_LINES = 15
LOOK_EVERY_S = 0.2
SAY_EVERY_S = 30  # where no line can change
GRACE_S = 10
DPKG_GRACE_S = 300  # what dpkg has begun is not stopped half way (tools/install_deps)
STARTED = float(os.environ.get("DEMO_STARTED", time.time()))  # make_ready may have installed Python first


@dataclass
class Phase:
    name: str  # also that of its log
    doing: str
    done: str
    command: list[str]
    after: list[str] = field(default_factory=list)
    environ: dict[str, str] = field(default_factory=dict)
    grace_s: float = GRACE_S
    hint: str = ""
    quiet_under_s: float = 0.4  # of processor time: nothing is said of a phase that only found everything there
    process: subprocess.Popen | None = None
    started: float = 0.0
    status: int | None = None
    processor_s: float = 0.0

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    def start(self) -> None:
        self.started = time.monotonic()
        with self.log.open("w") as out:
            # A session of its own: Ctrl-C reaches this program alone, which then ends them all in order.
            self.process = subprocess.Popen(self.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                            start_new_session=True, env=os.environ | self.environ)

    def has_ended(self) -> bool:
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid:
            self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
            self.processor_s = usage.ru_utime + usage.ru_stime
        return bool(pid)

    def seconds(self) -> float:
        return time.monotonic() - self.started

    def interrupt(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def state(self) -> str:
        """How far it is, from the last line of its log: ninja's count, or what an environment is being given."""
        with contextlib.suppress(OSError), self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 2000))
            lines = log.read().decode(errors="replace").split("\n")
            for line in reversed(lines):
                if counted := re.match(r"\[(\d+)/(\d+)\] ", line):
                    return f"{self.doing} {counted[1]} of {counted[2]}"
        return self.doing


def phases() -> list[Phase]:
    tools = [str(ROOT / "tools/install_deps")]
    python = "$(lab/envs/make_envs --print torch)"
    compiler = shutil.which("g++-12") or "/usr/bin/g++-12"  # it may be on its way
    return [
        Phase("python", "venv of Python", "Python's venv is installed", [*tools, "demo"], grace_s=DPKG_GRACE_S,
              hint="is the package mirror in reach?"),
        Phase("packages", "compiler and libraries", "compiler and libraries are installed", [*tools, "build"], ["python"],
              grace_s=DPKG_GRACE_S, quiet_under_s=1, hint="is the package mirror in reach?"),
        # Only what is imported is compiled, when it is: of PyTorch's 3,000 files that is half.
        Phase("environment", "PyTorch", "PyTorch is installed and two ranks have met", ["lab/envs/make_envs", "--only", "torch"],
              ["python"], {"PIP_COMPILE": "0"},
              hint="PIP_FIND_LINKS=folder names a folder with PyTorch's CPU wheel, where pip does not find it"),
        Phase("configure", "CMake", "CMake has configured build/release",
              # Later on ninja knows by itself when it is time to configure again.
              ["sh", "-c", 'grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" build/release/CMakeCache.txt && '
                            "[ -e build/release/build.ninja ] || exec tools/configure_release"], ["packages"]),
        Phase("compile", "compiling lockstep", "lockstep and its recorder are compiled",
              # `lockstep run` preloads all of these, whatever the job needs of them.
              ["cmake", "--build", "--preset", "release", "--target", "lockstep", "lockstep_recorder", "lockstep_entropy",
               "lockstep_mpi", "lockstep_nccl"],
              # Ninja's own choice is two more than cores; the native half and pip are at work as well, and a compiler takes a gigabyte.
              ["configure"], {"CMAKE_BUILD_PARALLEL_LEVEL": str(len(os.sched_getaffinity(0)))}),
        Phase("native", "the part for PyTorch", "the recorder's part for PyTorch is compiled",
              # A failure is remembered for ten minutes, for ranks that start together; what it lacked may be there now.
              ["sh", "-c", f"rm -f ${{XDG_CACHE_HOME:-$HOME/.cache}}/lockstep/pytorch/*/failed; exec {python} -m lockstep_torch.build"],
              ["environment", "packages"],
              {"CXX": compiler, "PYTHONPATH": str(ROOT / "adapters/python"), "PYTHONDONTWRITEBYTECODE": "1"}, quiet_under_s=8),
    ]


class Teller:
    """One line for each phase that has ended, and what is at work: in a line that changes, or now and then."""

    def __init__(self) -> None:
        self.live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.said = time.monotonic()

    def ended(self, phase: Phase) -> None:
        if phase.processor_s >= phase.quiet_under_s:
            self._line(f"{_clock()}  {phase.done:45} ({phase.seconds():.0f} s, {phase.processor_s:.0f} s of processor time)")

    def working(self, at_work: list[Phase]) -> None:
        text = f"{_clock()}  ... " + ", ".join(phase.state() for phase in at_work)
        if self.live:
            print(f"\r\033[K{text[:shutil.get_terminal_size().columns - 1]}", end="", flush=True)
        elif time.monotonic() - self.said > SAY_EVERY_S:
            self._line(text)

    def clear(self) -> None:
        if self.live:
            print("\r\033[K", end="", flush=True)

    def _line(self, text: str) -> None:
        self.clear()
        print(text, flush=True)
        self.said = time.monotonic()


def _clock() -> str:
    return f"{time.time() - STARTED:5.0f} s"


def run(waiting: list[Phase], teller: Teller) -> Phase | None:
    """Runs them all; the first that fails, or none. Whatever happens, none of them is at work afterwards."""
    at_work: list[Phase] = []
    ended: set[str] = set()
    try:
        while waiting or at_work:
            for phase in [phase for phase in waiting if ended.issuperset(phase.after)]:
                waiting.remove(phase)
                at_work.append(phase)
                phase.start()
            time.sleep(LOOK_EVERY_S)
            for phase in [phase for phase in at_work if phase.has_ended()]:
                at_work.remove(phase)
                ended.add(phase.name)
                if phase.status != 0:
                    return phase
                teller.ended(phase)
            if at_work:
                teller.working(at_work)
        return None
    finally:
        teller.clear()
        end(at_work)


def end(at_work: list[Phase]) -> None:
    asked = time.monotonic()
    for phase in at_work:
        phase.interrupt()
    said = False
    while at_work:
        for phase in [phase for phase in at_work if phase.has_ended()]:
            at_work.remove(phase)
            phase.kill()  # what it has left behind: a shell's children in the background ignore the interrupt
        waited = time.monotonic() - asked
        for phase in at_work:
            if waited > phase.grace_s:
                phase.kill()
        if not said and waited > 1 and any(phase.grace_s == DPKG_GRACE_S for phase in at_work):
            said = True
            print("waiting for dpkg to end what it has begun", file=sys.stderr, flush=True)
        time.sleep(0.05)


def tell_failure(phase: Phase, target: str) -> None:
    lines = phase.log.read_text(errors="replace").splitlines()
    # What ninja built besides goes on behind the error.
    first = next((number for number, line in enumerate(lines) if line.startswith("FAILED:")), max(0, len(lines) - TAIL_LINES))
    print("\n".join("    " + line[:200] for line in lines[first:first + TAIL_LINES]), file=sys.stderr)
    print(f"make {target}: failed after {phase.seconds():.0f} s: {phase.doing}", file=sys.stderr)
    if phase.hint:
        print(f"make {target}: {phase.hint}", file=sys.stderr)
    print(f"make {target}: the whole log is {phase.log.relative_to(ROOT)}", file=sys.stderr)


@contextlib.contextmanager
def only_one():
    LOGS.mkdir(parents=True, exist_ok=True)
    with (LOGS / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another 'make demo' makes things ready here; waiting for it", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> int:
    target = sys.argv[1]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        with only_one():
            failed = run(phases(), Teller())
    except KeyboardInterrupt:
        print(f"make {target}: interrupted; nothing of it runs on. Again, it goes on from there.", file=sys.stderr)
        return 130
    if failed:
        tell_failure(failed, target)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
