from faultlab.fault_file import Truth
from faultlab.score import score, wrong_points

TRUTH = Truth("PREP-HANG", (), ("hang.stack",), ("desync.missing_rank",), "distributed", (1,), ("behavior_logic",))
RIGHT = {"leaf": "PREP-HANG", "code": "hang.stack", "scope": "distributed", "root_ranks": [1],
         "fixes": ["other", "behavior_logic", "hardware"]}


def wrong(finding: dict, truth: Truth = TRUTH, recorded: bool = False) -> list[str]:
    return wrong_points(score(truth, [finding], recorded=recorded))


def test_a_right_verdict_misses_only_the_first_fix():
    assert wrong(RIGHT) == ["fix1"]
    assert wrong(RIGHT | {"fixes": ["behavior_logic"]}) == []


def test_only_the_first_finding_counts():
    assert wrong_points(score(TRUTH, [RIGHT | {"leaf": "RUN-MEM"}, RIGHT], recorded=False)) == ["leaf", "merged", "fix1"]


def test_leaves_that_raters_mix_up_are_counted_apart():
    assert wrong(RIGHT | {"leaf": "PERF-HANG"}) == ["leaf", "fix1"]
    assert wrong(RIGHT | {"leaf": "RUN-COMM"}) == ["leaf", "merged", "fix1"]


def test_a_recording_may_know_a_better_code():
    seen = RIGHT | {"code": "desync.missing_rank"}
    assert wrong(seen) == ["code", "fix1"] and wrong(seen, recorded=True) == ["fix1"]


def test_root_ranks_must_be_all_and_no_more():
    assert "root" in wrong(RIGHT | {"root_ranks": [0, 1]}) and "root" in wrong(RIGHT | {"root_ranks": []})


def test_no_finding_misses_every_point_that_is_asked():
    assert wrong_points(score(TRUTH, [], recorded=True)) == ["leaf", "merged", "code", "scope", "root", "fix1", "fix3"]
    unasked = Truth("RUN-MEM", fixes=("other",))
    assert wrong_points(score(unasked, [], recorded=True)) == ["leaf", "merged", "fix1", "fix3"]


def test_a_healthy_job_is_left_in_peace():
    assert wrong_points(score(Truth(), [], recorded=True)) == []
    assert wrong_points(score(Truth(), [RIGHT], recorded=True)) == ["quiet"]
