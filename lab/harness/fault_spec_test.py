import pytest

from harness.errors import LabError
from harness.fault_spec import KINDS, Fault, form_of, parse_fault


@pytest.mark.parametrize("text, fault", [
    ("kill:1@3", Fault("kill", 1, 3)),
    ("stop:0", Fault("stop", 0)),
    ("delay:2@5:1.5", Fault("delay", 2, 5, 1.5)),
    ("starve:3:20", Fault("starve", 3, None, 20.0)),
    ("drop:0-1@4", Fault("drop", 0, 4, None, 1)),
    ("fill_shm:1", Fault("fill_shm", 1)),
])
def test_fault_is_read_and_written_back(text, fault):
    assert parse_fault(text) == fault
    assert str(fault) == text


@pytest.mark.parametrize("text", [
    "", "kill", "kill:", "kill:x", "kill:1@", "kill:1@2:3", "delay:1@2", "starve:1:0", "starve:1:101",
    "drop:1@2", "kill:0-1@2", "kill:-1@2", "kill:1@2 ", "boom:1@2"])
def test_unreadable_fault_is_refused(text):
    with pytest.raises(LabError):
        parse_fault(text)


def test_refusal_shows_the_right_form():
    with pytest.raises(LabError, match=r"write delay:RANK\[@STEP\]:SECONDS"):
        parse_fault("delay:1@2")
    assert all(form_of(kind).startswith(kind) for kind in KINDS)
