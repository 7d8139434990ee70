"""The labelled texts as the arbiter is told them: what `judge_lines features` says of each, kept beside its label."""

import json
import subprocess
import tempfile
from pathlib import Path

BATCH = 200


def load_texts(corpus: Path) -> list[dict]:
    """Cases with their lines; of whole logs with the `path` of the log instead."""
    if corpus.is_dir():
        cases = [json.loads(line) for line in (corpus / "index.jsonl").read_text(encoding="utf-8").splitlines()]
        return [{**case, "path": corpus / case["file"], "healthy": case["truth"] == "healthy", "whole": True} for case in cases]
    cases = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    return [{"near": [], "healthy": False, "whole": False, **case} for case in cases]


def ask(judge_lines: str, mode: str, cases: list[dict], environment: dict | None = None) -> list[dict]:
    """One document of the judge for each case."""
    found = []
    for begin in range(0, len(cases), BATCH):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, case in enumerate(cases[begin : begin + BATCH]):
                path = case.get("path") or Path(folder) / f"{i}.log"
                if "path" not in case:
                    path.write_text("\n".join(case["lines"]) + "\n", encoding="utf-8")
                paths.append(str(path))
            done = subprocess.run([judge_lines, mode, *paths], capture_output=True, check=True, env=environment)
            found += [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]
    assert len(found) == len(cases)
    return found
