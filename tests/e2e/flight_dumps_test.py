"""Real PyTorch jobs over Gloo go wrong; their flight-recorder dumps, taken without a change to the script, tell how."""

import json
import pathlib
import pickle
import subprocess
import sys

import pytest

from harness.flight_runs import RUNS, take_gloo_dumps
from recordings import LOCKSTEP

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "dumps"))

from facts import check
from torch_pickle import torch_pickle

# The case of tests/cases/diagnose that was once made from the same run.
CASES = {
    "missing_rank": "real_gloo_rank_2_waits_for_data",
    "another_shape": "real_gloo_rank_2_reduces_another_shape",
    "another_type": "real_gloo_rank_2_reduces_another_type",
    "order_inversion": "real_gloo_rank_2_uses_two_groups_in_the_other_order",
    "skipped_collective": "real_gloo_rank_2_skipped_the_bucket",
    "left_early": "real_gloo_rank_2_left_the_loop_early",
    "killed_rank": "real_gloo_survivors_of_a_killed_rank_show_nothing_pending",
    "healthy": "real_gloo_healthy",
}
# Gloo aborts the process that gets a message of another length than it expects: one neighbour of the faulty rank.
SURVIVORS = {"another_shape": 3, "another_type": 3, "killed_rank": 3}


def knows_diagnose() -> bool:
    return subprocess.run([LOCKSTEP, "diagnose", "--help"], capture_output=True).returncode == 0


@pytest.mark.parametrize("name", RUNS)
def test_dumps_of_a_real_job_show_its_fault(name, tmp_path):
    ranks = take_gloo_dumps(name, tmp_path)
    dumps = {rank: (tmp_path / f"dumps/fr_trace_rank_{rank}").read_bytes() for rank in ranks}
    assert len(dumps) >= SURVIVORS.get(name, 4), (tmp_path / "run/rank_0.err").read_text()
    for content in dumps.values():
        assert torch_pickle(pickle.loads(content)) == content, "PyTorch pickles otherwise than tests/dumps says"
    if knows_diagnose():
        facts = json.loads((ROOT / "tests/cases/diagnose" / CASES[name] / "expected_facts.json").read_text())
        folder = tmp_path / "given"
        folder.mkdir()
        (tmp_path / "dumps").rename(folder / "dumps")
        faults, verdict = check(LOCKSTEP, folder, facts)
        assert not faults, verdict
