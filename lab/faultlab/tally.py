"""Results of pairs summed up: shares of right points, by way and by any grouping."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from faultlab.fault_file import Pair
from faultlab.score import POINTS, score


@dataclass(frozen=True)
class Judged:
    """One pair in one way of looking, with its points."""
    pair: Pair
    view: str
    outcome: dict
    points: dict[str, bool | None]

    @property
    def first(self) -> dict | None:
        return self.outcome["findings"][0] if self.outcome["findings"] else None


# view: the way, and the part of its outcome that replaces the verdict on the job as its user has it
VIEWS = {"recorded": ("recorded", ""), "logs": ("logs", ""), "logs, after the end": ("logs", "after_end"), "logs and stacks": ("logs", "with_stacks")}


def judged(pairs: Iterable[Pair], results: dict[str, dict], view: str) -> list[Judged]:
    found = []
    for pair in pairs:
        way, part = VIEWS[view]
        outcome = results.get(pair.name, {}).get(way)
        if outcome is None:
            continue
        outcome = outcome | outcome.get(part, {})
        found.append(Judged(pair, view, outcome, score(pair.truth, outcome["findings"], recorded=view == "recorded")))
    return found


def shares(those: list[Judged]) -> dict[str, tuple[int, int]]:
    """point: (right, asked)"""
    return {point: (sum(one.points[point] is True for one in those), sum(one.points[point] is not None for one in those))
            for point in POINTS}


def group(those: list[Judged], key: Callable[[Pair], str]) -> dict[str, list[Judged]]:
    groups: dict[str, list[Judged]] = {}
    for one in those:
        groups.setdefault(key(one.pair), []).append(one)
    return dict(sorted(groups.items()))


def percent(right: int, asked: int) -> str:
    return f"{100 * right / asked:.1f} % ({right}/{asked})" if asked else "–"
