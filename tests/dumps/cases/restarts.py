"""Jobs that began again: numbers that start over, dumps of several attempts."""

from case import MISSING_RANK, case
from job import PENDING, Job


def restarted_in_process() -> Job:
    job = Job(4)
    job.all(job.world, "all_reduce", times=9)
    job.restart(job.world)
    job.all(job.world, "all_reduce", times=4)
    return job


@case()
def numbers_that_begin_again_are_healthy():
    return restarted_in_process().files()


@case(MISSING_RANK, root=[3], victims=[0, 1, 2], says=[r"\b5\b"])
def numbers_that_begin_again_miss_rank_3():
    job = restarted_in_process()
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    return job.files()


def attempt(missing: int, steps: int) -> dict[str, bytes]:
    job = Job(4)
    job.all(job.world, "all_reduce", times=steps)
    job.all(job.world, "all_reduce", state=PENDING, but=[missing])
    return job.files()


@case(MISSING_RANK, root=[2], victims=[0, 1, 3], never_says=[r"[Rr]ank 1 (never|did not)"])
def only_the_last_of_two_attempts_counts():
    first = {f"attempt_0/{name}": content for name, content in attempt(1, 3).items()}
    return first | {f"attempt_1/{name}": content for name, content in attempt(2, 5).items()}


@case()
def a_failed_attempt_before_a_healthy_one_is_over():
    job = Job(4)
    job.all(job.world, "all_reduce", times=8)
    first = {f"attempt_0/{name}": content for name, content in attempt(1, 3).items()}
    return first | {f"attempt_1/{name}": content for name, content in job.files().items()}
