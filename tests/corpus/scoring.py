"""What the scripts of this folder share: asking the judge, and the figures of its answers."""

import collections
import json
import os
import subprocess
import tempfile
from pathlib import Path

EDGES = (0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.01)
FIGURES = ("leaf", "scope", "fix@1", "fix@3", "silent")

Row = tuple[dict, dict]  # a labelled case and the first finding, {} where the judge was silent


def load_cases(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def answers(judge_lines: str, cases: list[dict], environment: dict[str, str] | None = None) -> list[dict]:
    """The first finding on each case, with the probability that anything failed; {} where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for case in cases:
            paths.append(Path(folder) / case["id"])
            paths[-1].write_text("\n".join(case["lines"]) + "\n", encoding="utf-8")
        command = [judge_lines, "each", *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **(environment or {})})
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [{**verdict["findings"][0], "failed": verdict["failed"]} if verdict["findings"] else {} for verdict in found]


def is_right(case: dict, answer: dict) -> bool:
    return answer.get("leaf") in case["accept"]


def counts(rows: list[Row]) -> dict[str, float]:
    """Each figure in percent."""
    count = collections.Counter()
    for case, answer in rows:
        patterns = [fix["pattern"] for fix in answer.get("fixes", [])]
        count["leaf"] += is_right(case, answer)
        count["scope"] += answer.get("scope") in case["scope"]
        count["fix@1"] += bool(set(patterns[:1]) & set(case["fixes"]))
        count["fix@3"] += bool(set(patterns[:3]) & set(case["fixes"]))
        count["silent"] += not answer
    return {name: 100 * count[name] / max(1, len(rows)) for name in FIGURES}


def figures(rows: list[Row]) -> str:
    sure = [is_right(case, answer) for case, answer in rows if answer and answer["confidence"] >= 0.8]
    text = " ".join(f"{name} {value:.1f}" for name, value in counts(rows).items())
    return f"n={len(rows)} {text} sure {100 * sum(sure) / max(1, len(sure)):.1f} of {len(sure)}"


def reliability(rows: list[Row]) -> list[tuple[float, float, int, float, float]]:
    """For answers of about the same confidence: from, to, how many, mean confidence, share that is right."""
    found = []
    for low, high in zip(EDGES, EDGES[1:]):
        inside = [(case, answer) for case, answer in rows if answer and low <= answer["confidence"] < high]
        if inside:
            mean = sum(answer["confidence"] for _, answer in inside) / len(inside)
            right = sum(is_right(case, answer) for case, answer in inside) / len(inside)
            found.append((low, min(high, 1), len(inside), mean, right))
    return found


def print_reliability(rows: list[Row]) -> None:
    print("  confidence    answers   mean confidence   right")
    for low, high, number, mean, right in reliability(rows):
        print(f"  {low:.2f} to {high:.2f}  {number:7}   {mean:15.2f}   {right:5.2f}")


def print_misses(rows: list[Row], most: int) -> None:
    missed = [row for row in rows if not is_right(*row)]
    for case, answer in missed[:most]:
        said = f"{answer.get('leaf', 'nothing')} {answer.get('code', '')}"
        print(f"  miss {case['id']} want {'/'.join(case['accept'])} got {said}: {case['lines'][-1][:100]}")
