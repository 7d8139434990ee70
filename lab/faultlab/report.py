"""docs/lab.md, made of the results that are there; never written by hand."""

import dataclasses
import json
import pathlib
import statistics
import time

from faultlab import peers_report, results, sitting, tally
from faultlab.fault_file import Pair
from faultlab.score import POINTS, wrong_points
from faultlab.sitting import Sitting
from faultlab.tally import Judged, percent
from faultlab.vocabulary import LEAVES, WAYS

NAMES = {"leaf": "leaf", "merged": "leaf, hard pairs merged", "code": "code", "scope": "scope", "root": "root ranks",
         "fix1": "fix, first", "fix3": "fix, first three"}
PRINTED = "logs, where something is printed of it"
GOALS = (("recorded", "root", 99), ("recorded", "leaf", 95), ("recorded", "scope", 97),
         *((view, point, goal) for view in ("logs", PRINTED) for point, goal in (("root", 99), ("leaf", 90), ("scope", 97))))
WHOLE_LAB_MINUTES = 25
USERS_VIEWS = ("recorded", "logs")


def write(folder: pathlib.Path, pairs: dict[str, Pair], path: pathlib.Path) -> int:
    found = {name: result for name, pair in pairs.items() if (result := results.load(folder, pair))}
    path.write_text(text_of(pairs, found, sitting.load_all(folder)))
    print(f"{path}: {len(found)} of {len(pairs)} pairs have results")
    return 0


def text_of(pairs: dict[str, Pair], found: dict[str, dict], sittings: list[Sitting]) -> str:
    broken = [pair for pair in pairs.values() if not pair.is_healthy]
    healthy = [pair for pair in pairs.values() if pair.is_healthy]
    views = {view: tally.judged(broken, found, view) for view in tally.VIEWS}
    whole = sitting.newest_of(sittings, len(WAYS) * len(pairs))
    parts = [_head(pairs, found), _goals(views, tally.judged(healthy, found, "recorded") + tally.judged(healthy, found, "logs"), whole),
             _overall(views), _by_framework(views), _healthy(healthy, found), _times(views["recorded"], found),
             _run_times(pairs, found, whole), _fail_slow(views["recorded"]), _twins(broken, views), peers_report.section(pairs, found), _coverage(broken, found),
             _unprinted(broken), _wrong(views), _every_pair(broken, views)]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _head(pairs: dict[str, Pair], found: dict[str, dict]) -> str:
    loads = [way["load"] for result in found.values() for way in result.values() if "load" in way]
    load = f"The machine's load was {statistics.median(loads):.0f} in the middle and {max(loads):.0f} at most." if loads else ""
    return f"""# The fault lab's score

Written by `lab/faults/run --report` on {time.strftime('%Y-%m-%d', time.gmtime())}; do not change it by hand. The faults, and how to add one:
[lab/faults](../lab/faults/README.md).

{len(found)} of {len(pairs)} pairs of a fault (or a healthy variant) and a job have results. *recorded*: run under `lockstep run`. *logs*:
`lockstep diagnose` on the files that the job prints to, nothing else; of a job that hangs while it still does, as its user would.
*logs, after the end*: the same once the job was ended. *logs and stacks*: the same with py-spy's stacks of the job that hung.
Only the first finding counts. {load}"""


def _goals(views: dict[str, list[Judged]], healthy: list[Judged], whole: Sitting | None) -> str:
    rows = []
    views = _with_printed(views)
    for view, point, goal in GOALS:
        right, asked = tally.shares(views[view])[point]
        met = "yes" if asked and 100 * right >= goal * asked else "no"
        rows.append((f"{NAMES[point]}, {view}", f"{goal} %", percent(right, asked), met))
    alarms = sum(one.points["quiet"] is False for one in healthy)
    rows.append(("false alarms on healthy jobs", "0", f"{alarms} of {len(healthy)} runs", "no" if alarms or not healthy else "yes"))
    slow = [one for one in views["recorded"] if one.pair.fault == "slow_rank_5"]
    right = sum(not {"leaf", "root"} & set(wrong_points(one.points)) for one in slow)
    rows.append(("a rank slower by 5 %, recorded", "found", f"{right} of {len(slow)}", "yes" if slow and right == len(slow) else "no"))
    rows.append(("the whole lab in one go", f"under {WHOLE_LAB_MINUTES} min", f"{whole.minutes:.1f} min" if whole else "not measured",
                 "yes" if whole and whole.minutes < WHOLE_LAB_MINUTES else "no"))
    return "## Goals\n\n" + _table(("", "goal", "measured", "met"), rows)


def _with_printed(views: dict[str, list[Judged]]) -> dict[str, list[Judged]]:
    return views | {PRINTED: [_without_unprinted_ranks(one) for one in views["logs"] if not one.pair.unprinted]}


def _without_unprinted_ranks(one: Judged) -> Judged:
    return dataclasses.replace(one, points=one.points | {"root": None}) if one.pair.rank_unprinted else one


def _overall(views: dict[str, list[Judged]]) -> str:
    return "## All faults\n\n" + _point_table("", _with_printed(views))


def _by_framework(views: dict[str, list[Judged]]) -> str:
    groups = {view: tally.group(those, lambda pair: pair.framework) for view, those in views.items() if view in USERS_VIEWS}
    rows = {f"{name}, {view}": those for name in sorted({name for group in groups.values() for name in group})
            for view, group in groups.items() if (those := group.get(name))}
    return "## By framework\n\n" + _point_table("", rows)


def _healthy(healthy: list[Pair], found: dict[str, dict]) -> str:
    rows = []
    for view in USERS_VIEWS:
        those = tally.judged(healthy, found, view)
        loud = [one for one in those if not one.points["quiet"]]
        said = "; ".join(f"`{one.pair.name}`: {one.first['code']}" for one in loud)
        failed = sum(one.outcome.get("status") != "0" for one in those)
        rows.append((view, len(those), len(loud), said or "–", failed))
    return "## Healthy jobs\n\n" + _table(("", "runs", "false alarms", "which", "did not end well"), rows)


def _times(recorded: list[Judged], found: dict[str, dict]) -> str:
    live = sorted(one.outcome["live"][0]["after_s"] for one in recorded if one.outcome.get("live"))
    judging = sorted(way["judged_s"] for result in found.values() for way in result.values() if "judged_s" in way)
    rows = []
    for name, times in (("first word while the job runs, after its last step", live), ("`lockstep diagnose`", judging)):
        if times:
            rows.append((name, len(times), f"{statistics.median(times):.2f} s", f"{times[int(0.9 * (len(times) - 1))]:.2f} s", f"{times[-1]:.2f} s"))
    return "## Time to the verdict\n\n" + _table(("", "runs", "median", "nine in ten", "longest"), rows)


def _run_times(pairs: dict[str, Pair], found: dict[str, dict], whole: Sitting | None) -> str:
    runs = [(pairs[name], way, result[way]["seconds"], result[way].get("cpu_s", 0)) for name, result in found.items() for way in WAYS
            if "seconds" in result.get(way, {})]
    groups: dict[str, list[tuple[float, float]]] = {}
    for pair, _, seconds, cpu_s in runs:
        groups.setdefault(f"{pair.framework}, {'waits' if pair.mostly_waits else 'works'}", []).append((seconds, cpu_s))
    groups = dict(sorted(groups.items())) | {"all": [one for those in groups.values() for one in those]}
    rows = [(name, len(those), f"{sum(seconds):.0f} s", f"{statistics.median(seconds):.1f} s", f"{max(seconds):.1f} s", f"{sum(cpu):.0f} s")
            for name, those in groups.items() if those for seconds, cpu in [tuple(zip(*those))]]
    longest = sorted(runs, key=lambda run: -run[2])[:10]
    named = ", ".join(f"`{pair.name}` {way} {seconds:.0f} s" for pair, way, seconds, _ in longest)
    return ("## Where the time goes\n\n" + (_in_words(whole) if whole else "") + _table(("", "runs", "together", "median", "longest", "processor time"), rows)
            + (f"\nThe longest: {named}.\n" if named else ""))


def _in_words(whole: Sitting) -> str:
    begun, ended = (time.strftime("%Y-%m-%d %H:%M", time.gmtime(moment)) for moment in (whole.begun, whole.ended))
    loads = [f"{load:.1f} {when}" for load, when in ((whole.load_before, "before"), (whole.load_median, "in the middle"), (whole.load_most, "at most"))
             if load is not None]
    return (f"All {whole.runs} runs in one go took {whole.minutes:.1f} minutes, from {begun} to {ended} UTC, on {whole.cores} cores.\n"
            + (f"The machine's load was {', '.join(loads)}.\n" if loads else "") + "\n")


def _fail_slow(recorded: list[Judged]) -> str:
    rows = [(f"{one.pair.fault.rpartition('_')[2]} %", f"`{one.pair.name}`", _said(one), ", ".join(wrong_points(one.points)) or "right")
            for one in sorted(recorded, key=lambda one: one.pair.fault.rpartition("_")[2].zfill(3))
            if one.pair.fault.startswith("slow_rank_")]
    return "## One slow rank, recorded\n\n" + _table(("slower by", "pair", "said", "wrong"), rows)


def _twins(broken: list[Pair], views: dict[str, list[Judged]]) -> str:
    by_name = {view: {one.pair.name: one for one in those} for view, those in views.items()}
    rows = []
    for pair in broken:
        twin = f"{pair.label}_{pair.twin}"
        if pair.twin and any(twin in those and pair.name in those for those in by_name.values()):
            rows.append((f"`{pair.name}`", f"`{twin}`", *(_both(those.get(pair.name), those.get(twin)) for view, those in by_name.items()
                                                         if view in USERS_VIEWS)))
    return "## Faults that look alike\n\n" + _table(("fault", "its twin", "told apart, recorded", "told apart, logs"), rows)


def _both(one: Judged | None, other: Judged | None) -> str:
    if one is None or other is None:
        return "not run"
    wrong = {"leaf", "scope", "root"} & (set(wrong_points(one.points)) | set(wrong_points(other.points)))
    return f"no: {', '.join(sorted(wrong))}" if wrong else "yes"


def _coverage(broken: list[Pair], found: dict[str, dict]) -> str:
    rows = []
    for leaf in LEAVES:
        those = [pair for pair in broken if pair.truth.leaf == leaf]
        rows.append((leaf, len(those), sum(pair.name in found for pair in those), ", ".join(sorted({pair.framework for pair in those}))))
    return "## Pairs by leaf\n\n" + _table(("leaf", "pairs", "run", "frameworks"), rows)


def _unprinted(broken: list[Pair]) -> str:
    reasons: dict[str, list[str]] = {}
    for pair in broken:
        if pair.unprinted:
            reasons.setdefault(pair.unprinted, []).append(f"`{pair.name}`")
        elif pair.rank_unprinted:
            reasons.setdefault(f"only the rank: {pair.rank_unprinted}", []).append(f"`{pair.name}`")
    return "## What is not printed\n\n" + _table(("pairs", "why"), [(", ".join(names), why) for why, names in reasons.items()])


def _wrong(views: dict[str, list[Judged]]) -> str:
    rows = [(f"`{one.pair.name}`", view, ", ".join(wrong), one.pair.truth.leaf, _said(one))
            for view, those in views.items() if view in USERS_VIEWS for one in those
            if (wrong := [point for point in wrong_points(one.points) if point not in ("fix1", "fix3", "merged")])]
    return "## What is wrong\n\n" + _table(("pair", "way", "wrong", "truth", "said"), rows)


def _every_pair(broken: list[Pair], views: dict[str, list[Judged]]) -> str:
    by_name = {view: {one.pair.name: one for one in those} for view, those in views.items()}
    rows = [(f"`{pair.name}`", pair.truth.leaf, *(_verdict(by_name[view].get(pair.name)) for view in USERS_VIEWS), pair.says)
            for pair in broken]
    return "## Every pair\n\n" + _table(("pair", "leaf", "recorded", "logs", "what is broken"), rows)


def _verdict(one: Judged | None) -> str:
    if one is None:
        return "not run"
    wrong = [point for point in wrong_points(one.points) if point not in ("fix1", "fix3", "merged")]
    return f"{', '.join(wrong)} wrong" if wrong else "right"


def _said(one: Judged) -> str:
    if one.first is None:
        return one.outcome.get("error", "nothing")
    return f"{one.first['leaf']} `{one.first['code']}`, {one.first['scope']}, ranks {json.dumps(one.first['root_ranks'])}"


def _point_table(name: str, rows: dict[str, list[Judged]]) -> str:
    return _table((name, "runs", *(NAMES[point] for point in POINTS)),
                  [(row, len(those), *(percent(*tally.shares(those)[point]) for point in POINTS)) for row, those in rows.items()])


def _table(head: tuple, rows: list[tuple]) -> str:
    if not rows:
        return "No results.\n"
    lines = ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]]) + "\n"
