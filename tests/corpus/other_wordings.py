"""The same faults as other releases, launchers and people would print them. Each way changes every case that it can."""

import re

SYNONYMS = {
    "failed to": "could not",
    "failed": "did not succeed",
    "unable to": "cannot",
    "could not": "was not able to",
    "cannot": "is not able to",
    "timed out": "exceeded the time allowed",
    "mismatch": "discrepancy",
    "mismatched": "differing",
    "already in use": "taken already",
    "invalid": "illegal",
    "expected": "wanted",
    "refused": "rejected",
    "not found": "missing",
    "closed": "shut",
    "unexpected": "unforeseen",
    "does not exist": "is absent",
    "must be": "has to be",
    "should be": "ought to be",
    "not supported": "unsupported",
    "waiting for": "awaiting",
}
RELEASES = [
    (r"torch/lib/c10d/", "../torch/csrc/distributed/c10d/"),
    (r"RuntimeError: (?=NCCL error in)", "torch.distributed.DistBackendError: "),
    (r"RuntimeError: (?=CUDA out of memory)", "torch.OutOfMemoryError: "),
    (r"torch\.cuda\.OutOfMemoryError", "torch.OutOfMemoryError"),
    (r"horovod/run/", "horovod/runner/"),
    (r"horovod\.run\.", "horovod.runner."),
    (r"tensorflow/core/distributed_runtime/coordination", "xla/tsl/distributed_runtime/coordination"),
    (r"tensorflow/compiler/xla/", "external/local_xla/xla/"),
    (r"tensorflow_core/", "tensorflow/"),
    (r"torch/distributed/launch\.py", "torch/distributed/run.py"),
    (r"ORTE ", "PRTE "),
    (r"(?<=\.(?:cc|cu|py|pp)[:\(])\d+", "4321"),
    (r"(?<=\.cpp:)\d+", "4321"),
    (r'(?<=", line )\d+', "4321"),
    (r"0x[0-9a-f]{6,}", "0x7fee00d15ea5e"),
]
RANK_PREFIX = re.compile(r"^(?:\[(?:rank|default)(\d+)\]: ?|\[\d+,(\d+)\]<std\w+>: ?|\[(\d+)\]<std\w+>: ?|(\d{1,3}): )")


def with_synonyms(case: dict) -> list[str] | None:
    order = sorted(SYNONYMS, key=len, reverse=True)
    regex = re.compile(r"(?<![\w/.'\"])(" + "|".join(order) + r")(?![\w/.'\"(])", re.IGNORECASE)
    return [regex.sub(lambda found: SYNONYMS[found[1].lower()], line) for line in case["lines"]]


def of_other_releases(case: dict) -> list[str] | None:
    def changed(line: str) -> str:
        for regex, text in RELEASES:
            line = re.sub(regex, text, line)
        return line

    return [changed(line) for line in case["lines"]]


def behind_other_prefixes(case: dict) -> list[str] | None:
    def changed(line: str) -> str:
        found = RANK_PREFIX.match(line)
        rank = next((group for group in found.groups() if group), "0") if found else "0"
        return f"(RankWorker pid={4000 + int(rank)}, ip=10.0.0.7) {line[found.end():] if found else line}"

    return [changed(line) for line in case["lines"]]


def in_a_long_log(case: dict) -> list[str] | None:
    """What surrounds a fault in the log of a whole job: chatter before, a launcher's summary after it."""
    before = [f"INFO:root:loaded plugin {i} of 40 in {i % 7} ms" for i in range(40)]
    after = ["Traceback (most recent call last):", '  File "/opt/launch/main.py", line 12, in <module>', "    sys.exit(run())"]
    after.append("subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit status 1.")
    return before + case["lines"] + after


def without_the_key_line(case: dict, answer: dict) -> list[str] | None:
    """Without every line that says what the judge's first evidence says."""
    lines = [evidence.get("line") for evidence in answer.get("evidence", [])[:1]]
    if not lines or not lines[0] or lines[0] > len(case["lines"]):
        return None
    key = case["lines"][lines[0] - 1]
    kept = [line for line in case["lines"] if RANK_PREFIX.sub("", line) != RANK_PREFIX.sub("", key)]
    return kept if len(kept) >= 3 else None


def reworded(cases: list[dict], answers: list[dict]) -> dict[str, list[dict]]:
    """By the name of the way, the cases that it changes, changed."""
    ways = {
        "synonyms": with_synonyms,
        "wording of other releases": of_other_releases,
        "another launcher's prefixes": behind_other_prefixes,
        "inside a longer log": in_a_long_log,
    }
    found: dict[str, list[dict]] = {}
    for name, change in ways.items():
        changed = ((case, change(case)) for case in cases)
        found[name] = [{**case, "lines": lines} for case, lines in changed if lines and lines != case["lines"]]
    dropped = ((case, without_the_key_line(case, answer)) for case, answer in zip(cases, answers))
    found["the key line left out"] = [{**case, "lines": lines} for case, lines in dropped if lines]
    return found
