"""The part of docs/lab.md that sets Lockstep beside what a user has today."""

from faultlab.fault_file import Pair
from faultlab.tally import percent

PEERS = {"own words": "the framework's and the launcher's own messages", "debug detail": "the same with `TORCH_DISTRIBUTED_DEBUG=DETAIL`",
         "flight analyzer": "PyTorch's flight-recorder analyzer", "stall inspector": "Horovod's stall inspector"}


def section(pairs: dict[str, Pair], found: dict[str, dict]) -> str:
    lines = ["## What a user has today", "", "Of faults that some ranks began: who names those ranks, and no other, on the same pairs. `DETAIL` is tried with PyTorch 1.13: 2.13",
             "for the CPU ends healthy jobs under it with a segmentation fault. The analyzer is the one of PyTorch 2.13, on dumps taken when the",
             "job had fallen quiet, or at its end; the dumps of Gloo jobs name no group, on which it fails, so names were filled in.", "",
             "| | pairs | right ranks | other ranks | nobody | Lockstep, recorded | Lockstep, logs |", "|---|---|---|---|---|---|---|"]
    for peer, name in PEERS.items():
        asked = {pair: result for pair, result in found.items() if peer in result.get("peers", {})}
        if asked:
            lines.append(f"| {name} | {len(asked)} | {_right(pairs, asked, lambda result: result['peers'][peer])} | "
                         f"{sum(bool(ranks) and not _is_right(pairs[pair], ranks) for pair, ranks in _said(asked, peer))} | "
                         f"{sum(not ranks for _, ranks in _said(asked, peer))} | "
                         f"{_right(pairs, asked, lambda result: _first_ranks(result, 'recorded'))} | "
                         f"{_right(pairs, asked, lambda result: _first_ranks(result, 'logs'))} |")
    if len(lines) == 8:
        return "## What a user has today\n\nNo results; `lab/faults/run --peers` makes them.\n"
    return "\n".join(lines + ["", *_by_pair(pairs, found)]) + "\n"


def _by_pair(pairs: dict[str, Pair], found: dict[str, dict]) -> list[str]:
    lines = ["| pair | began it | own messages | `DETAIL` | analyzer | stall inspector | Lockstep, recorded | Lockstep, logs |", "|---" * 8 + "|"]
    for name, result in found.items():
        if "peers" in result:
            told = [result["peers"].get(peer) for peer in PEERS] + [_first_ranks(result, way) for way in ("recorded", "logs")]
            lines.append(f"| `{name}` | {_ranks(list(pairs[name].truth.root_ranks))} | " + " | ".join(map(_ranks, told)) + " |")
    return lines


def _ranks(ranks: list[int] | None) -> str:
    """None: it was not asked."""
    return "" if ranks is None else ", ".join(map(str, ranks)) or "nobody"


def _said(asked: dict[str, dict], peer: str) -> list[tuple[str, list[int]]]:
    return [(pair, result["peers"][peer]) for pair, result in asked.items()]


def _right(pairs: dict[str, Pair], asked: dict[str, dict], ranks_of) -> str:
    answers = [(pair, ranks_of(result)) for pair, result in asked.items()]
    known = [(pair, ranks) for pair, ranks in answers if ranks is not None]
    return percent(sum(_is_right(pairs[pair], ranks) for pair, ranks in known), len(known))


def _is_right(pair: Pair, ranks: list[int]) -> bool:
    return sorted(ranks) == sorted(pair.truth.root_ranks)


def _first_ranks(result: dict, way: str) -> list[int] | None:
    """None where it was not run in this way."""
    if way not in result:
        return None
    findings = result[way]["findings"]
    return findings[0]["root_ranks"] if findings else []
