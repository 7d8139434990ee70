import pytest

from harness.errors import LabError
from harness.registry import find_job, load_registry, parse_registry

GOOD = """
[job.a_ddp]
env = "torch"
script = "a.py"
ranks = 2
launchers = ["torchrun", "env"]
environ = { KEY = 3 }
"""


def test_registry_is_read():
    job = parse_registry(GOOD)["a_ddp"]
    assert (job.env, job.ranks, job.launchers) == ("torch", 2, ("torchrun", "env"))
    assert job.environ == {"KEY": "3"} and job.script.name == "a.py"


@pytest.mark.parametrize("change, complaint", [
    (("ranks = 2", ""), "a_ddp: needs ranks"),
    (('"env"]', '"slurm"]'), "no launcher is called 'slurm'"),
    (("environ", "environment"), "does not know environment"),
    (("ranks = 2", 'ranks = 2\ntested = ["mpirun"]'), "tested names some of its launchers"),
    (("ranks = 2", 'ranks = 2\nroles = { chief = 1, ps = 2 }'), "roles add up to 3"),
    (("[job.a_ddp]", "[job.a_ddp"), "not readable"),
])
def test_what_is_wrong_is_said(change, complaint):
    with pytest.raises(LabError, match=complaint):
        parse_registry(GOOD.replace(*change))


def test_misspelt_job_gets_a_suggestion():
    with pytest.raises(LabError, match="did you mean a_ddp"):
        find_job(parse_registry(GOOD), "a_dpd")
    with pytest.raises(LabError, match="--list"):
        find_job(parse_registry(GOOD), "zzzzzzz")


def test_own_registry_is_sound():
    jobs = load_registry()
    assert jobs and all(job.script.exists() for job in jobs.values())


def test_every_environment_is_tested_under_each_of_its_launchers():
    jobs = load_registry().values()
    tested = {(job.env, launcher) for job in jobs for launcher in job.tested}
    assert tested == {(job.env, launcher) for job in jobs for launcher in job.launchers}
