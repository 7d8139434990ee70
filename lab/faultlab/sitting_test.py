from faultlab import sitting
from faultlab.sitting import Sitting


def made(runs: int, minutes: float) -> Sitting:
    return Sitting(1000.0, 1000.0 + 60 * minutes, runs, 2, 0.5, 4.0, 9.0)


def test_what_is_kept_is_found_again(tmp_path):
    sitting.keep(tmp_path, made(4, 1))
    sitting.keep(tmp_path, made(2, 3))
    assert sitting.load_all(tmp_path) == [made(4, 1), made(2, 3)]


def test_before_the_first_there_is_none(tmp_path):
    assert sitting.load_all(tmp_path) == []


def test_only_a_whole_one_tells_how_long_the_lab_takes():
    assert sitting.newest_of([made(4, 1), made(4, 2), made(3, 1)], 4).minutes == 2
    assert sitting.newest_of([made(3, 1)], 4) is None


def test_a_clock_tells_of_the_time_since_it_was_made():
    ended = sitting.Clock().ended(4, [3.0, 1.0, 8.0])
    assert 0 <= ended.minutes < 1 and (ended.runs, ended.load_median, ended.load_most) == (4, 3.0, 8.0)
    assert sitting.Clock().ended(4, []).load_median is None
