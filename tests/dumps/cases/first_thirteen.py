"""The thirteen fixtures on which PyTorch's own analyser was first measured, with the answers a good one must give."""

from case import (MISSING_RANK, NO_EVIDENCE, NO_GROUP, ORDER_INVERSION, SHAPE, STUCK, UNMATCHED_SEND,
                  VERSION_SKEW, case)
from job import DONE, PENDING, STARTED, Job


def training(ranks: int = 4, steps: int = 6, **keywords) -> Job:
    job = Job(ranks, **keywords)
    job.all(job.world, "all_reduce", times=steps)
    return job


def odd_shape_on(odd: int) -> dict[str, bytes]:
    job = training()
    for rank in range(4):
        job.call(rank, job.world, "all_reduce", (1000,) if rank == odd else (1024,), state=PENDING)
    return job.files()


@case(SHAPE, root=[0], victims=[1, 2, 3], says=["1000", "1024"])
def rank_0_brings_another_shape():
    return odd_shape_on(0)


@case(SHAPE, root=[2], victims=[0, 1, 3], says=["1000", "1024"])
def rank_2_brings_another_shape():
    return odd_shape_on(2)


@case(MISSING_RANK, root=[3], victims=[0, 1, 2], says=["all_reduce", r"\b7\b", r"train\.py"])
def rank_3_never_issues_the_last_all_reduce():
    job = training()
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    return job.files()


def rings_not_aligned() -> Job:
    """Ranks 0 and 1 had worked in a group of their own before: equal record numbers are different calls."""
    job = Job(4, ring=60)
    pair = job.group("1", [0, 1], "tp")
    job.all(pair, "all_reduce", times=40)
    job.all(job.world, "all_reduce", times=55)
    return job


@case()
def rings_that_lost_different_calls_are_healthy():
    return rings_not_aligned().files()


@case(MISSING_RANK, root=[1], victims=[0, 2, 3], never_says=[r"[Rr]anks? 2(, | and |-)3 (never|did not|is missing)"])
def rings_that_lost_different_calls_accuse_only_the_missing_rank():
    job = rings_not_aligned()
    job.all(job.world, "all_reduce", state=PENDING, but=[1])
    return job.files()


def all_wait() -> Job:
    job = training()
    job.all(job.world, "all_reduce", state=PENDING)
    return job


@case(NO_EVIDENCE, root=[2], victims=[0, 1, 3], says=[r"(no|without a|left no) dump"])
def rank_2_left_no_dump_and_the_others_wait():
    return all_wait().files(but=[2])


@case(MISSING_RANK, root=[3], victims=[0, 2], says=["rank_1", r"\bcut\b|truncated|damaged"])
def a_dump_cut_half_way_does_not_hide_the_missing_rank():
    job = training(steps=20)
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    files = job.files()
    name = "nccl_trace_rank_1"
    return files | {name: files[name][:len(files[name]) // 2]}


@case(says=["rank_1", r"\bcut\b|truncated|damaged"])
def a_dump_cut_half_way_in_a_healthy_job_is_only_a_limit():
    files = training(steps=20).files()
    name = "nccl_trace_rank_1"
    return files | {name: files[name][:len(files[name]) // 2]}


@case(NO_EVIDENCE, root=[2], victims=[0, 1, 3], says=["rank_2", "empty|no dump|zero"])
def rank_2_left_an_empty_dump_and_the_others_wait():
    return all_wait().files() | {"nccl_trace_rank_2": b""}


@case()
def a_kernel_that_is_behind_on_one_rank_is_normal_skew():
    job = training()
    for rank in range(4):
        job.call(rank, job.world, "all_reduce", state=STARTED if rank == 1 else DONE)
    job.all(job.world, "all_reduce")
    return job.files()


@case(STUCK, root=[1], says=["all_reduce"])
def the_last_kernel_did_not_finish_on_rank_1():
    job = training()
    for rank in range(4):
        job.call(rank, job.world, "all_reduce", state=STARTED if rank == 1 else DONE)
    return job.files()


def version_skew() -> Job:
    job = training()
    job.ranks[3].version = "2.9"
    return job


@case(VERSION_SKEW, root=[3], says=[r"2\.9", r"2\.10"])
def rank_3_runs_another_version():
    return version_skew().files()


@case(MISSING_RANK, root=[1], victims=[0, 2, 3], also=[(VERSION_SKEW, [3])])
def a_missing_rank_outweighs_another_version():
    job = version_skew()
    job.all(job.world, "all_reduce", state=PENDING, but=[1])
    return job.files()


@case(UNMATCHED_SEND, root=[2], victims=[1], says=["send", "1.*2"], never_says=[r"[Rr]ank 0 (never|did not)"])
def the_last_receive_of_a_chain_is_never_posted():
    job = Job(3)
    for last in (False, True):
        job.send(0, 1, job.world)
        job.receive(1, 0, job.world)
        job.send(1, 2, job.world, state=PENDING if last else DONE)
        if not last:
            job.receive(2, 1, job.world)
    return job.files()


@case(NO_GROUP, MISSING_RANK, root=[3], victims=[1], says=["expert"])
def rank_3_never_made_the_group():
    job = training()
    group = job.group("7", [1, 3], "expert")
    job.ranks[3].hidden.append(group)
    job.call(1, group, "all_reduce", state=PENDING)
    return job.files()


@case(ORDER_INVERSION, root=[0, 1], says=["A", "B", r"cycle|order|opposite"])
def two_ranks_use_two_groups_in_opposite_order():
    job = training(ranks=2)
    groups = [job.group("1", [0, 1], "A"), job.group("2", [0, 1], "B")]
    for group in groups:
        job.all(group, "all_reduce", times=2)
    job.call(0, groups[0], "all_reduce", state=STARTED, in_function="first_then_second")
    job.call(1, groups[1], "all_reduce", state=STARTED, in_function="second_then_first")
    return job.files()
