"""Whether a verdict is right, point by point. A point that the truth does not ask about is None."""

from faultlab.fault_file import Truth
from faultlab.vocabulary import MERGED

POINTS = ("leaf", "merged", "code", "scope", "root", "fix1", "fix3")


def score(truth: Truth, findings: list[dict], *, recorded: bool) -> dict[str, bool | None]:
    if not truth.leaf:
        return {"quiet": not findings}
    first = findings[0] if findings else {}
    leaves = {truth.leaf, *truth.or_leaves}
    codes = truth.codes + (truth.recorded_codes if recorded else ())
    fixes = first.get("fixes", [])
    return {
        "leaf": first.get("leaf") in leaves,
        "merged": first.get("leaf") in leaves.union(*(pair for pair in MERGED if pair & leaves)),
        "code": first.get("code") in codes if truth.codes else None,
        "scope": first.get("scope") == truth.scope if truth.scope else None,
        "root": _root_is_right(truth, first),
        "fix1": bool(set(fixes[:1]) & set(truth.fixes)),
        "fix3": bool(set(fixes[:3]) & set(truth.fixes)),
    }


def _root_is_right(truth: Truth, first: dict) -> bool | None:
    if truth.root_ranks is None:
        return None
    return "root_ranks" in first and sorted(first["root_ranks"]) == sorted(truth.root_ranks)


def wrong_points(points: dict[str, bool | None]) -> list[str]:
    return [name for name, right in points.items() if right is False]
