"""What the measurements of the recorder's cost share: the figures of a rank, and how they are said."""

import pathlib
import random
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOALS = {"small": 0.5, "large": 0.1}  # per cent of a step
RESAMPLES = 2000


def python_of(env: str) -> str:
    made = subprocess.run([ROOT / "lab/envs/make_envs", "--print", env], capture_output=True, text=True, check=True)
    return made.stdout.strip()


def time_of(step, count: int) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        step()
    return time.perf_counter() - begin


def measured_block(step, count: int) -> dict:
    begin = time.process_time()
    wall = time_of(step, count) / count
    return {"wall": wall, "cpu": (time.process_time() - begin) / count}


def figures_of(pairs: list, count: int) -> dict:
    """Of (with, without) of neighbouring blocks."""
    return {clock: _summary([(on[clock], off[clock]) for on, off in pairs], count) for clock in ("wall", "cpu")}


def _summary(times: list, count: int) -> dict:
    """The mean difference without its outermost tenths: one block in which the machine did something else weighs
    nothing."""
    differences = [1e6 * (with_us - without) for with_us, without in times]
    chooser = random.Random(1)
    means = sorted(_trimmed_mean(chooser.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return {"off_us": 1e6 * statistics.median(without for _, without in times), "mean_us": _trimmed_mean(differences),
            "low_us": means[int(0.025 * RESAMPLES)], "high_us": means[int(0.975 * RESAMPLES)],
            "calls": count * len(times), "pairs": len(times)}


def _trimmed_mean(values: list) -> float:
    values = sorted(values)
    cut = len(values) // 10
    return statistics.fmean(values[cut:len(values) - cut])


def say(figures: dict, what: str, title: str) -> bool:
    """False when the goal is missed for sure."""
    print(f"{title} ({figures['wall']['calls']} with and without, {figures['wall']['pairs']} pairs)")
    verdicts = [_verdict_of(figures[clock], name, GOALS.get(what))
                for clock, name in (("wall", "time on the clock"), ("cpu", "time on the processor"))]
    return "missed" not in verdicts


def _verdict_of(figures: dict, name: str, goal: float | None) -> str:
    off_us, mean_us, low_us, high_us = (figures[key] for key in ("off_us", "mean_us", "low_us", "high_us"))
    percent = [100 * value / off_us for value in (mean_us, low_us, high_us)]
    verdict = "no goal" if goal is None else "met" if percent[2] <= goal else "missed" if percent[1] > goal else "not decided"
    print(f"    {name:22}{off_us:10,.1f} us {mean_us:+9.1f} us ({low_us:+.1f} to {high_us:+.1f})   {percent[0]:+.2f} % "
          f"({percent[1]:+.2f} to {percent[2]:+.2f})   " + (verdict if goal is None else f"goal {goal} %: {verdict}"))
    return verdict
