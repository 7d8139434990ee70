import dataclasses

from faultlab import fault_file, report
from faultlab.fault_file import Pair, Truth
from faultlab.sitting import Sitting
from harness import registry

JOB = registry.Job("ddp", "torch", registry.JOBS / "torch_ddp.py", 2, ("env",))
RIGHT = {"leaf": "PERF-SLOW", "code": "straggler.rank", "scope": "distributed", "root_ranks": [1], "fixes": ["hardware"]}


def pair(name: str, truth: Truth, unprinted: str = "") -> Pair:
    label, _, fault = name.partition("_")
    return Pair(name, fault, label, "It is broken.", truth, JOB, "env", 30.0, unprinted=unprinted)


PAIRS = {one.name: one for one in (
    pair("torch_slow_rank_5", Truth("PERF-SLOW", (), (), (), "distributed", (1,), ("hardware",))),
    pair("torch_healthy_seed", Truth()))}


def outcome(*findings: dict) -> dict:
    return {"status": "0", "seconds": 1.0, "live": [], "judged_s": 0.1, "load": 1.0, "findings": list(findings)}


def line_with(text: str, word: str) -> str:
    return next(line for line in text.splitlines() if word in line)


def test_right_verdicts_meet_the_goals():
    text = report.text_of(PAIRS, {"torch_slow_rank_5": {"recorded": outcome(RIGHT)}, "torch_healthy_seed": {"recorded": outcome()}}, [])
    assert line_with(text, "root ranks, recorded").endswith("| 100.0 % (1/1) | yes |")
    assert line_with(text, "a rank slower by 5 %").endswith("| 1 of 1 | yes |")
    assert line_with(text, "false alarms on healthy").endswith("| 0 of 1 runs | yes |")


def test_wrong_verdicts_are_named():
    wrong = RIGHT | {"root_ranks": [0]}
    text = report.text_of(PAIRS, {"torch_slow_rank_5": {"recorded": outcome(wrong), "logs": outcome()},
                                  "torch_healthy_seed": {"recorded": outcome(RIGHT)}}, [])
    assert line_with(text, "root ranks, recorded").endswith("| 0.0 % (0/1) | no |")
    assert line_with(text, "false alarms on healthy").endswith("| 1 of 1 runs | no |")
    assert "| `torch_slow_rank_5` | recorded | root | PERF-SLOW |" in text
    assert "| `torch_slow_rank_5` | logs | leaf, scope, root | PERF-SLOW | nothing |" in text


def test_what_was_not_run_is_not_counted():
    text = report.text_of(PAIRS, {}, [])
    assert "0 of 2 pairs" in text and line_with(text, "root ranks, recorded").endswith("| – | no |")
    assert line_with(text, "| `torch_slow_rank_5` | PERF-SLOW").count("not run") == 2


def test_what_is_not_printed_is_counted_apart_and_its_reason_told():
    silent = pair("torch_silent", PAIRS["torch_slow_rank_5"].truth, unprinted="it says nothing")
    text = report.text_of(PAIRS | {silent.name: silent}, {"torch_slow_rank_5": {"logs": outcome(RIGHT)}, "torch_silent": {"logs": outcome()}}, [])
    assert line_with(text, "| leaf, logs |").endswith("| 50.0 % (1/2) | no |")
    assert line_with(text, "| leaf, logs, where").endswith("| 100.0 % (1/1) | yes |")
    assert "| `torch_silent` | it says nothing |" in text


def test_where_only_the_rank_is_not_printed_it_is_not_asked_there():
    known = dataclasses.replace(PAIRS["torch_slow_rank_5"], rank_unprinted="who sent it is not said")
    text = report.text_of({known.name: known}, {known.name: {"logs": outcome(RIGHT | {"root_ranks": []})}}, [])
    assert line_with(text, "| root ranks, logs |").endswith("| 0.0 % (0/1) | no |")
    assert line_with(text, "| root ranks, logs, where").endswith("| – | no |")
    assert "| `torch_slow_rank_5` | only the rank: who sent it is not said |" in text


def test_only_a_whole_sitting_tells_how_long_the_lab_takes():
    whole, part = Sitting(0, 24 * 60, 4, 2, 0.5, 4.0, 9.0), Sitting(0, 60, 3, 2, 0.5, None, None)
    text = report.text_of(PAIRS, {}, [whole, part])
    assert line_with(text, "the whole lab in one go").endswith("| under 25 min | 24.0 min | yes |")
    assert "All 4 runs in one go took 24.0 minutes, from 1970-01-01 00:00 to 1970-01-01 00:24 UTC, on 2 cores." in text
    assert "The machine's load was 0.5 before, 4.0 in the middle, 9.0 at most." in text
    assert line_with(report.text_of(PAIRS, {}, [part]), "the whole lab in one go").endswith("| not measured | no |")


def test_peers_are_set_beside_on_the_same_pairs():
    text = report.text_of(PAIRS, {"torch_slow_rank_5": {"recorded": outcome(RIGHT), "peers": {"own words": [0], "debug detail": []}}}, [])
    assert line_with(text, "own messages").startswith("| the framework's and the launcher's own messages | 1 | 0.0 % (0/1) | 1 | 0 | 100.0 % (1/1) |")
    assert "| 1 | 0.0 % (0/1) | 0 | 1 |" in line_with(text, "DEBUG=DETAIL")


def test_the_pairs_of_the_lab_can_be_reported():
    assert "# The fault lab's score" in report.text_of(fault_file.load_all(), {}, [])
