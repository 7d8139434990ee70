"""Coalesced regions and captured graphs: calls that never learn their state, numbers that nobody recorded."""

from case import MISSING_RANK, OPERATION, SHAPE, SKIPPED, case
from job import PENDING, Job

BUCKETS = [("all_reduce", (128,)), ("all_reduce", (256,)), ("all_reduce", (512,))]


def regions(ranks: int = 4) -> Job:
    job = Job(ranks)
    for _ in range(4):
        for rank in range(ranks):
            job.region(rank, job.world, BUCKETS, closing="ALLREDUCE_coalesced")
        job.all(job.world, "all_reduce")
    return job


@case()
def coalesced_regions_are_healthy():
    return regions().files()


@case(OPERATION, root=[1], victims=[0, 2, 3], says=["reduce_scatter", "all_reduce"])
def a_coalesced_region_holds_another_operation_on_rank_1():
    job = regions()
    for rank in range(4):
        inner = BUCKETS if rank != 1 else [BUCKETS[0], ("_reduce_scatter_base", (256,)), BUCKETS[2]]
        job.region(rank, job.world, inner, closing="ALLREDUCE_coalesced", state=PENDING)
    return job.files()


@case(SHAPE, root=[2], victims=[0, 1, 3], says=["300"])
def a_coalesced_region_holds_another_shape_on_rank_2():
    job = regions()
    for rank in range(4):
        inner = BUCKETS if rank != 2 else [BUCKETS[0], ("all_reduce", (300,)), BUCKETS[2]]
        job.region(rank, job.world, inner, closing="ALLREDUCE_coalesced", state=PENDING)
    return job.files()


@case(OPERATION, SHAPE, SKIPPED, root=[3], victims=[0, 1, 2])
def a_coalesced_region_is_one_call_shorter_on_rank_3():
    job = regions()
    for rank in range(4):
        job.region(rank, job.world, BUCKETS[:2] if rank == 3 else BUCKETS, closing="ALLREDUCE_coalesced", state=PENDING)
    return job.files()


@case(MISSING_RANK, SKIPPED, OPERATION, root=[2], victims=[0, 1, 3], says=["coalesced"])
def a_coalesced_region_is_still_open_on_rank_2():
    job = regions()
    for rank in range(4):
        if rank == 2:
            job.region(rank, job.world, BUCKETS[:2], closing="")
        else:
            job.region(rank, job.world, BUCKETS, closing="ALLREDUCE_coalesced", state=PENDING)
    return job.files()


@case(MISSING_RANK, root=[0], victims=[1, 2, 3])
def rank_0_does_not_enter_the_coalesced_region():
    job = regions()
    for rank in range(1, 4):
        job.region(rank, job.world, BUCKETS, closing="ALLREDUCE_coalesced", state=PENDING)
    return job.files()


def with_captured_graphs() -> Job:
    job = Job(4)
    for _ in range(3):
        job.all(job.world, "all_reduce", times=2)
        job.skip_captured(job.world, 5)
    job.all(job.world, "all_reduce")
    return job


@case()
def numbers_of_captured_graphs_that_nobody_recorded_are_healthy():
    return with_captured_graphs().files()


@case(MISSING_RANK, root=[3], victims=[0, 1, 2], says=[r"\b23\b"])
def a_rank_is_missing_after_captured_graphs():
    job = with_captured_graphs()
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    return job.files()
