"""The results of the lab's runs, one JSON file for each pair, so that a long run can be split and the report made of all."""

import json
import os
import pathlib
import shutil
import time

from harness import recorded
from harness.errors import LabError
from harness.exit_abort import is_aborted, tell_ran_again
from faultlab import pair_run, verdict
from faultlab.fault_file import Pair

MOST_RUNS = 4  # of one that PyTorch aborts, which is another fault than the pair's


def result_path(folder: pathlib.Path, pair: Pair) -> pathlib.Path:
    return folder / pair.name / "result.json"


def load(folder: pathlib.Path, pair: Pair) -> dict:
    try:
        return json.loads(result_path(folder, pair).read_text())
    except (OSError, ValueError):
        return {}


def has(folder: pathlib.Path, pair: Pair, way: str) -> bool:
    """A run that Lockstep could not be started on is none."""
    outcome = load(folder, pair).get(way, {})
    return "status" in outcome and "cannot be started" not in outcome.get("error", "")


def make(folder: pathlib.Path, pair: Pair, way: str) -> dict:
    """One run and its verdict, added to the pair's result."""
    run_folder = folder / pair.name / way
    for left in reversed(range(MOST_RUNS)):
        outcome = _run_anew(pair, way, run_folder)
        if not left or not is_aborted(run_folder):
            break
        tell_ran_again(f"{pair.name}.{way}")
    if way == "recorded" and not (run_folder / recorded.FOLDER).exists():
        raise LabError("nothing was recorded; does build/release/lockstep start?")
    return _keep(folder, pair, way, outcome | {"load": round(os.getloadavg()[0], 1), "at": time.strftime("%Y-%m-%d %H:%M")})


def _run_anew(pair: Pair, way: str, run_folder: pathlib.Path) -> dict:
    for path in (run_folder, run_folder.with_name(f"{way}-script")):
        shutil.rmtree(path, ignore_errors=True)
    run_folder.parent.mkdir(parents=True, exist_ok=True)
    if way == "recorded":
        return pair_run.run_pair(pair, run_folder, record=True)
    while_hung = {}
    outcome = pair_run.run_pair(pair, run_folder, record=False, on_hang=lambda: while_hung.update(verdict.of_logs(run_folder)))
    return outcome | ({"while_hung": while_hung} if while_hung else {})


def judge_again(folder: pathlib.Path, pair: Pair, way: str) -> dict:
    return _keep(folder, pair, way, load(folder, pair).get(way, {}))


def _keep(folder: pathlib.Path, pair: Pair, way: str, outcome: dict) -> dict:
    run_folder = folder / pair.name / way
    if way == "recorded":
        outcome |= verdict.of(run_folder / recorded.FOLDER)
    else:
        outcome["after_end"] = verdict.of_logs(run_folder)
        outcome |= outcome.get("while_hung", outcome["after_end"])
        if (run_folder / "stacks").exists():
            outcome["with_stacks"] = verdict.of_logs(run_folder, with_stacks=True)
    result = load(folder, pair) | {way: outcome}
    result_path(folder, pair).write_text(json.dumps(result, indent=1) + "\n")
    return outcome
