"""How a demo is told: what is about to happen, the very commands that run, their output, what was shown, and how to do it by hand."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOBS = ROOT / "lab/demo/jobs"
LOCKSTEP = ROOT / "build/release/lockstep"
WIDTH = 80
SCREEN_LINES = 30
END_S = 15  # torchrun gives its ranks ten
COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ
SMALL = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}  # what a job on one machine should not have to find out
OTHERS = ("demo", "demo-logs", "demo-check", "demo-replay", "demo-submit")
ABOUT = {
    "demo": "a job that hangs, named while it hangs",
    "demo-logs": "a folder of logs that somebody sent you",
    "demo-check": "a launch with mistakes, found and mended before it starts",
    "demo-replay": "one rank of a recorded job again, alone",
    "demo-submit": "a script handed to the service, which repairs its launch",
}


class DemoError(Exception):
    """The demo cannot show what it is to show."""


class Demo:
    """One demo: its folder below build/, the environment of its commands, and the commands that it ran."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = ROOT / "build" / name
        self.bin = _environment()
        self.started = time.monotonic()
        self.by_hand: list[str] = []
        # As a user has them in PATH; the first python3 is the one with PyTorch.
        self.environ = os.environ | SMALL | {"PATH": f"{LOCKSTEP.parent}:{self.bin}:{os.environ['PATH']}"}
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *names: str) -> str:
        """Below the demo's folder, as one would type it."""
        return str(self.folder.joinpath(*names).relative_to(ROOT))

    def show(self, *command: str, environ: dict[str, str] | None = None, expect: tuple[int, ...] = (0, 1),
             relay: Callable[[subprocess.Popen], None] | None = None) -> int:
        """Prints the command and runs it; its output is what it says, or what `relay` makes of it."""
        typed = shlex.join(word for word in command if not word.startswith("--color="))
        typed = " ".join([*(f"{name}={value}" for name, value in (environ or {}).items()), typed])
        self.tell_command(typed)
        with self.running(*command, environ=environ, stdout=subprocess.PIPE if relay else None,
                          stderr=subprocess.STDOUT if relay else None) as running:
            if relay:
                relay(running)
            status = running.wait()
        if status not in expect:
            raise DemoError(f"'{typed}' ended with status {status}")
        return status

    def tell_command(self, typed: str) -> None:
        self.by_hand.append(typed)
        print(bold("\n$ " + _folded(typed)), flush=True)

    @contextlib.contextmanager
    def running(self, *command: str, environ: dict[str, str] | None = None, **streams) -> Iterator[subprocess.Popen]:
        """A command that is at work within and has ended afterwards. In a session of its own, where Ctrl-C reaches it through here."""
        started = subprocess.Popen(command, cwd=ROOT, env=self.environ | (environ or {}), text=True, errors="replace",
                                   start_new_session=True, **streams)
        try:
            yield started
        finally:
            _end(started)

    def end(self, shown: str) -> None:
        headline("What was shown")
        say(shown)
        print(f"\nBy hand, in {ROOT}:\n  export PATH={LOCKSTEP.parent}:{self.bin}:$PATH {_words(SMALL)}")
        for command in self.by_hand:
            print("  " + _folded(command, "      "))
        print("\nTry next:")
        for name in OTHERS:
            if name != self.name:
                print(f"  make {name:12} {ABOUT[name]}")
        print(f"({time.monotonic() - self.started:.0f} s)", flush=True)


def tell(story: Callable[[], None], name: str) -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        story()
        return 0
    except DemoError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: interrupted; nothing of it runs on", file=sys.stderr)
        return 130


def one_screen(verdict: list[str], whole: str) -> None:
    """The beginning of a verdict, up to the end of a paragraph where there is one, and the command for the rest."""
    shown = verdict[:SCREEN_LINES]
    if len(verdict) > SCREEN_LINES:
        breaks = [number for number, line in enumerate(shown) if not line.strip() and number > SCREEN_LINES // 2]
        shown = shown[:breaks[-1] if breaks else SCREEN_LINES]
    print("\n".join(shown))
    if len(verdict) > len(shown):
        print(f"\n... {len(verdict) - len(shown)} more lines: {whole}", flush=True)


def headline(text: str) -> None:
    print("\n" + bold(f"-- {text} " + "-" * (WIDTH - len(text) - 4)), flush=True)


def say(text: str) -> None:
    print(textwrap.fill(text, WIDTH, break_on_hyphens=False), flush=True)


def bold(text: str) -> str:
    return f"\033[1m{text}\033[0m" if COLOUR else text


def colour_flag() -> str:
    """For a command whose output goes through a pipe of the demo's."""
    return f"--color={'always' if COLOUR else 'never'}"


def _folded(command: str, indent: str = "      ") -> str:
    return " \\\n".join(textwrap.wrap(command, WIDTH - 4, subsequent_indent=indent, break_long_words=False,
                                      break_on_hyphens=False))


def _words(environ: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in environ.items())


def _environment() -> pathlib.Path:
    made = subprocess.run([ROOT / "lab/envs/make_envs", "--print", "torch"], capture_output=True, text=True)
    if made.returncode != 0 or not LOCKSTEP.exists():
        raise DemoError("what it needs is not made yet; run it by make: make demo")
    return pathlib.Path(made.stdout.strip()).parent


def _end(running: subprocess.Popen) -> None:
    """Asks as Ctrl-C does, so that launchers end their ranks; then with more emphasis."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if running.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(END_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)  # and what it has left behind
    running.wait()
