"""How long a sitting of lab/faults/run took, and how busy the machine was: one line of JSON for each, beside the results."""

import json
import os
import pathlib
import statistics
import time
from dataclasses import asdict, dataclass

FILE = "sittings.jsonl"


@dataclass(frozen=True)
class Sitting:
    begun: float  # seconds since 1970, as ended
    ended: float
    runs: int
    cores: int
    load_before: float | None  # the machine's, before the lab added to it; None: nobody looked
    load_median: float | None
    load_most: float | None

    @property
    def minutes(self) -> float:
        return (self.ended - self.begun) / 60


class Clock:
    """Begun before the first run."""

    def __init__(self):
        self._begun = time.time()
        self._load_before = os.getloadavg()[0]

    def ended(self, runs: int, loads: list[float]) -> Sitting:
        """`loads`: as seen at the end of each run that could be made."""
        return Sitting(round(self._begun, 1), round(time.time(), 1), runs, os.cpu_count() or 1, round(self._load_before, 1),
                       round(statistics.median(loads), 1) if loads else None, max(loads, default=None))


def keep(folder: pathlib.Path, sitting: Sitting):
    with open(folder / FILE, "a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(sitting)) + "\n")


def load_all(folder: pathlib.Path) -> list[Sitting]:
    try:
        return [Sitting(**json.loads(line)) for line in (folder / FILE).read_text().splitlines()]
    except FileNotFoundError:
        return []


def newest_of(sittings: list[Sitting], runs: int) -> Sitting | None:
    """The newest that made so many runs in one go."""
    return next((one for one in reversed(sittings) if one.runs >= runs), None)
