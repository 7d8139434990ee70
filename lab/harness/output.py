"""The lines by which a rank tells how far it is.

    lab rank=R ready pid=P world=N
    lab rank=R step=S loss=<float>
    lab rank=R done params=<hex16>
"""

import re
from dataclasses import dataclass, field

READY = re.compile(r"lab rank=(\d+) ready pid=(\d+) world=(\d+)$")
STEP = re.compile(r"lab rank=(\d+) step=(\d+) loss=(\S+)$")
DONE = re.compile(r"lab rank=(\d+) done params=([0-9a-f]{16})$")


@dataclass
class RankProgress:
    """What one rank has said so far. Losses stay text: two runs must agree to the last digit."""
    pid: int = 0
    world: int = 0
    losses: dict[int, str] = field(default_factory=dict)
    params: str = ""

    @property
    def ready(self) -> bool:
        return self.pid != 0

    @property
    def last_step(self) -> int | None:
        return max(self.losses) if self.losses else None

    @property
    def done(self) -> bool:
        return self.params != ""

    def describe(self) -> str:
        if self.done:
            return "done"
        if self.last_step is not None:
            return f"step {self.last_step}"
        return "ready" if self.ready else "not ready"


def read_line(line: str, progress: dict[int, RankProgress]) -> bool:
    """Adds what a line says to its rank's progress; False where it is no such line."""
    line = line.rstrip()
    if match := READY.search(line):
        rank = progress.setdefault(int(match[1]), RankProgress())
        rank.pid, rank.world = int(match[2]), int(match[3])
    elif match := STEP.search(line):
        progress.setdefault(int(match[1]), RankProgress()).losses[int(match[2])] = match[3]
    elif match := DONE.search(line):
        progress.setdefault(int(match[1]), RankProgress()).params = match[2]
    else:
        return False
    return True


class LineCutter:
    """Turns the bytes of a growing file into whole lines."""

    def __init__(self):
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode("utf-8", "replace") for line in lines]

    def finish(self) -> list[str]:
        """The last line of a file that ends without a line end."""
        rest, self._rest = self._rest, b""
        return [rest.decode("utf-8", "replace")] if rest else []
