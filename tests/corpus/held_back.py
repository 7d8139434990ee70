"""Answers of a judge made without the cases it is asked about."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from scoring import answers, tool


def alternatives(regex: str) -> list[str]:
    """Splits at the `|` that stand outside parentheses and character classes."""
    parts, depth, in_class, start, i = [], 0, False, 0, 0
    while i < len(regex):
        c = regex[i]
        if c == "\\":
            i += 1
        elif in_class:
            in_class = c != "]"
        elif c == "[":
            in_class = True
            if regex[i + 1 : i + 2] == "^":
                i += 1
            if regex[i + 1 : i + 2] == "]":
                i += 1
        elif c in "()":
            depth += 1 if c == "(" else -1
        elif c == "|" and depth == 0:
            parts.append(regex[start:i])
            start = i + 1
        i += 1
    return [*parts, regex[start:]]


class Usage:
    """Which cases each alternative matches, and whether anything outside them stands for it."""

    def __init__(self, cases: list[dict], others: list[dict] | None = None):
        self.cases = cases
        self.others = [line for case in others or [] for line in case["lines"]]
        self.known: dict[str, frozenset[int]] = {}
        self.vouched: dict[str, bool] = {}

    def of(self, alternative: str) -> frozenset[int]:
        if alternative not in self.known:
            regex = re.compile(alternative, re.IGNORECASE | re.ASCII)
            self.known[alternative] = frozenset(
                i for i, case in enumerate(self.cases) if any(regex.search(line) for line in case["lines"])
            )
        return self.known[alternative]

    def is_backed_elsewhere(self, alternative: str) -> bool:
        """Matches a fault that is not one of the cases."""
        if alternative not in self.vouched:
            regex = re.compile(alternative, re.IGNORECASE | re.ASCII)
            self.vouched[alternative] = any(regex.search(line) for line in self.others)
        return self.vouched[alternative]

    def is_from_elsewhere(self, entry: dict) -> bool:
        """Names a source that is none of the cases' threads; asked only where other faults count too."""
        addresses = {case["url"] for case in self.cases}
        return bool(self.others) and any(reference not in addresses for reference in entry.get("references", []))

    def is_known_without(self, alternative: str, held: set[int]) -> bool:
        matched = self.of(alternative)
        return not matched or bool(matched - held) or self.is_backed_elsewhere(alternative)


def without(regex: str, usage: Usage, held: set[int]) -> str | None:
    kept = [part for part in alternatives(regex) if usage.is_known_without(part, held)]
    return "|".join(kept) if kept else None


def entry_without(entry: dict, usage: Usage, held: set[int]) -> dict:
    if usage.is_from_elsewhere(entry):
        return entry
    patterns = []
    for pattern in entry["patterns"]:
        regex = without(pattern if isinstance(pattern, str) else pattern["regex"], usage, held)
        if regex is not None:
            patterns.append(regex if isinstance(pattern, str) else {**pattern, "regex": regex})
    return {**entry, "patterns": patterns}


def facts_without(facts: dict, usage: Usage, held: set[int]) -> dict:
    return {
        name: {**fact, "patterns": [kept for regex in fact["patterns"] if (kept := without(regex, usage, held))]}
        for name, fact in facts.items()
    }


def write_catalogue(folder: Path, entries: dict[str, dict], usage: Usage, held: set[int]) -> None:
    for name, entry in entries.items():
        if name == "facts.yaml":
            entry = facts_without(entry, usage, held)
        elif name != "recipes.yaml":
            entry = entry_without(entry, usage, held)
        (folder / name).write_text(json.dumps(entry), encoding="utf-8")


def load_entries(judge_lines: str) -> dict[str, dict]:
    """The catalogue by file name, as the judge embeds it."""
    packed = subprocess.run([judge_lines, "entries"], capture_output=True, text=True, check=True).stdout.splitlines()
    entries = {"recipes.yaml": json.loads(packed[0]), "facts.yaml": json.loads(packed[1])}
    for line in packed[2:]:
        code, entry = line.split("\t", 1)
        entries[f"{code}.yaml"] = json.loads(entry)
    return entries


def answers_without(
    judge_lines: str, cases: list[dict], parts: int, *, others: list[dict] | None = None, keep_rules: bool = False
) -> list[dict]:
    """The answer to each case by a judge made without the part that the case lies in.

    `others` are labelled faults outside the cases: what they back stays, and the word model learns from them.
    `keep_rules` leaves the catalogue whole, so that only the word model is made without the part.
    """
    entries, usage, trainer = load_entries(judge_lines), Usage(cases, others), tool("train_guess")
    samples = [sample for entry in entries.values() if "leaf" in entry for sample in trainer.samples_of(entry)]
    found: list[dict] = [{} for _ in cases]
    for part in range(parts):
        held = set(range(part, len(cases), parts))
        seen = [case for i, case in enumerate(cases) if i not in held] + (others or [])
        unseen = [cases[i] for i in sorted(held)]
        with tempfile.TemporaryDirectory() as folder:
            write_catalogue(Path(folder), entries, usage, set() if keep_rules else held)
            guess = Path(folder) / "guess.json"
            guess.write_text(trainer.as_text(trainer.train(seen + trainer.samples_without(samples, unseen))), encoding="utf-8")
            environment = {"LOCKSTEP_CATALOGUE": folder, "LOCKSTEP_GUESS": str(guess)}
            for i, answer in zip(sorted(held), answers(judge_lines, unseen, environment)):
                found[i] = answer
    return found
