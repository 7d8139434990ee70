import pytest

from harness.exit_abort import ABORT, aborted_at_exit, is_aborted
from harness.output import RankProgress


@pytest.mark.parametrize("last_words, params, expected", [
    (f"{ABORT}\n", "351520fe28c273a5", True),
    (f"{ABORT}\n", "", False),
    ("Segmentation fault\n", "351520fe28c273a5", False),
])
def test_only_an_abort_after_the_end_counts(tmp_path, last_words, params, expected):
    (tmp_path / "rank_0.err").write_text("")
    (tmp_path / "rank_1.err").write_text(last_words)
    ranks = {0: RankProgress(1, 2, {}, "351520fe28c273a5"), 1: RankProgress(2, 2, {}, params)}
    assert aborted_at_exit(ranks, tmp_path) == expected
    assert is_aborted(tmp_path) == (ABORT in last_words)


def test_a_job_that_never_began_was_not_aborted_at_its_exit(tmp_path):
    assert not aborted_at_exit({}, tmp_path)
