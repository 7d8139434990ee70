"""Which part of the labelled texts a text is in: by its source repository, never by the text.

The test part is scored by tests/corpus/judge_report, which prints totals alone; nobody who writes rules or features looks
into its texts. development.jsonl, whole/ and fresh/ have no test part of their own here: their figures are cross-validated.
"""

import hashlib

SEED = "lockstep judge 1"
TEST_PERCENT = 20
VALIDATION_PERCENT = 15


def source_of(case: dict) -> str:
    """The repository a text comes from; a text without one is a source of its own."""
    if case.get("group"):
        return case["group"].lower()
    if case.get("repo"):
        return case["repo"].lower()
    url = case.get("url", "")
    if "github.com/" in url:
        return "/".join(url.split("github.com/")[1].split("/")[:2]).lower()
    return url or case["id"]


def part_of(case: dict) -> str:
    """"train", "validation" or "test"."""
    place = int(hashlib.sha256(f"{SEED}/{source_of(case)}".encode()).hexdigest(), 16) % 100
    if place < TEST_PERCENT:
        return "test"
    return "validation" if place < TEST_PERCENT + VALIDATION_PERCENT else "train"
