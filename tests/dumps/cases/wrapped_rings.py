"""Rings that overwrote their beginning: not there does not mean never issued."""

from case import MISSING_RANK, case
from job import PENDING, Job
from packing import zst


def wrapped_at_different_points() -> Job:
    """Each rank has lost a different part: rank r also did 20 r calls in a group of its own."""
    job = Job(4, ring=50)
    own = [job.group(str(10 + rank), [rank]) for rank in range(4)]
    for _ in range(8):
        job.all(job.world, "all_reduce", times=5)
        job.all(job.world, "all_gather", shape=(256,), times=2)
    for rank in range(4):
        job.all(own[rank], "broadcast", times=11 * rank)
    job.all(job.world, "all_reduce", times=3)
    return job


@case()
def rings_wrapped_at_different_points_are_healthy():
    return wrapped_at_different_points().files()


@case(MISSING_RANK, root=[0], victims=[1, 2, 3], never_says=[r"[Rr]ank 3 (never|did not)"])
def rings_wrapped_at_different_points_miss_rank_0():
    job = wrapped_at_different_points()
    job.all(job.world, "all_reduce", state=PENDING, but=[0])
    return job.files()


def flooded_ring(comes: bool) -> Job:
    """Rank 2's ring holds nothing of the world any more; only its counters still tell how far it got there."""
    job = Job(4, ring=30)
    own = job.group("5", [2], "eval")
    job.all(job.world, "all_reduce", times=40)
    if comes:
        job.all(job.world, "all_reduce")
    else:
        job.all(job.world, "all_reduce", state=PENDING, but=[2])
    job.all(own, "broadcast", times=30)
    return job


@case(MISSING_RANK, root=[2], victims=[0, 1, 3], says=["40|41"])
def the_counters_of_a_flooded_ring_show_who_is_missing():
    return flooded_ring(comes=False).files()


@case()
def the_counters_of_a_flooded_ring_show_that_it_came():
    return flooded_ring(comes=True).files()


@case()
def a_group_that_only_two_rings_still_remember_is_healthy():
    """An old group: ranks 0 and 1 still show its last calls, the busier ranks 2 and 3 have overwritten them."""
    job = Job(4, ring=25)
    old, busy = job.group("3", range(4), "warm-up"), job.group("4", [2, 3], "tp")
    job.all(old, "broadcast", times=10)
    job.all(busy, "all_reduce", times=40)
    job.all(job.world, "all_reduce", times=5)
    return job.files()


def long_rings(missing) -> dict[str, bytes]:
    job = Job(2, ring=20_000)
    pair = job.group("1", [0, 1], "dp")
    for _ in range(5000):
        job.all(job.world, "all_reduce", times=3)
        job.all(pair, "_all_gather_base", shape=(256,))
    job.all(pair, "all_reduce", state=PENDING, but=missing)
    return {f"{name}.zst": zst(content) for name, content in job.files().items()}


@case(MISSING_RANK, root=[1], victims=[0], says=["dp"])
def rings_of_twenty_thousand_miss_rank_1():
    return long_rings([1])
