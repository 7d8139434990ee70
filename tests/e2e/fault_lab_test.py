"""The fault lab's quick pairs, each leaf once: what Lockstep says of real broken jobs, recorded and from their logs alone.

LOCKSTEP_FAULTS=all (make lab) is every pair; the lab scores those and does not stop at a wrong verdict, the tests do."""

import concurrent.futures
import json
import pathlib

import pytest

from faultlab import fault_file, results, score, vocabulary

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests" / "cases" / "diagnose"
PAIRS = fault_file.load_all()
QUICK = {name: pair for name, pair in PAIRS.items() if pair.is_quick}
AT_ONCE = 2
# A second right fix is a matter of taste; the verdict is not.
ASKED = ("leaf", "code", "scope", "root", "fix3", "quiet")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Every quick pair in its quick way, two at a time: most of a run is waiting and importing."""
    folder = tmp_path_factory.mktemp("faults")
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        runs = pool.map(lambda pair: results.make(folder, pair, pair.quick_way), QUICK.values())
        return dict(zip(QUICK, runs))


@pytest.mark.parametrize("name", QUICK)
def test_verdict_on_a_quick_pair(outcomes, name):
    pair, outcome = QUICK[name], outcomes[name]
    points = score.score(pair.truth, outcome["findings"], recorded=pair.quick_way == "recorded")
    wrong = [point for point in score.wrong_points(points) if point in ASKED]
    assert not wrong, f"{name} {pair.quick_way}: {wrong}\n{json.dumps(outcome, indent=1)}"


def test_quick_pairs_are_every_leaf_once_and_all_frameworks():
    assert {pair.truth.leaf for pair in QUICK.values() if not pair.is_healthy} == set(vocabulary.LEAVES)
    assert {pair.framework for pair in QUICK.values()} == set(vocabulary.FRAMEWORKS.values())
    assert any(pair.is_healthy for pair in QUICK.values())
    assert {pair.quick_way for pair in QUICK.values()} == set(vocabulary.WAYS)


@pytest.mark.parametrize("name", [name for name in PAIRS if (CASES / f"real_{name}").exists()])
def test_the_kept_logs_of_a_pair_expect_what_its_file_says(name):
    kept = json.loads((CASES / f"real_{name}" / "expected_facts.json").read_text())
    assert kept == fault_file.facts_of(PAIRS[name].truth)
