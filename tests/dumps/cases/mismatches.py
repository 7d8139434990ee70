"""All ranks came, and not with the same thing."""

from case import DTYPE, EXCHANGE, EXTRA, OPERATION, SHAPE, SKIPPED, case
from job import DONE, PENDING, Job


def reduced(ranks: int = 4, steps: int = 5) -> Job:
    job = Job(ranks)
    job.all(job.world, "all_reduce", times=steps)
    return job


@case(DTYPE, root=[1], victims=[0, 2, 3], says=["[Hh]alf|float16", "[Ff]loat"])
def rank_1_brings_another_type():
    job = reduced()
    for rank in range(4):
        job.call(rank, job.world, "all_reduce", dtype="Half" if rank == 1 else "Float", state=PENDING)
    return job.files()


@case(SHAPE, says=["1000", "1024", r"tie|cannot (tell|say|decide)|either|which of"])
def two_ranks_of_different_shape_are_a_tie():
    job = reduced(ranks=2)
    for rank, size in ((0, 1000), (1, 1024)):
        job.call(rank, job.world, "all_reduce", (size,), state=PENDING)
    return job.files()


@case(SHAPE, root=[2], says=["(7, 3|7x3)|7, ?3"])
def a_shape_that_differs_and_already_completed_is_told():
    """NCCL does not check: 4 x 6 and 8 x 3 elements are as many. Nothing hangs; the result is wrong."""
    job = reduced()
    for rank in range(4):
        job.call(rank, job.world, "all_reduce", (7, 3) if rank == 2 else (3, 7))
    job.all(job.world, "all_reduce", times=2)
    return job.files()


@case(OPERATION, root=[0], victims=[1, 2, 3], says=["broadcast", "all_reduce"])
def rank_0_broadcasts_while_the_others_reduce():
    job = reduced()
    for rank in range(4):
        job.call(rank, job.world, "broadcast" if rank == 0 else "all_reduce", state=PENDING)
    return job.files()


STEP = (("broadcast", (8,)), ("all_reduce", (100,)), ("_all_gather_base", (50,)), ("all_reduce", (200,)),
        ("_reduce_scatter_base", (400,)), ("all_reduce", (300,)))


@case(SKIPPED, OPERATION, root=[3], victims=[0, 1, 2], says=["skip"])
def rank_3_skipped_one_collective():
    """From call 3 of the last step on, rank 3's calls are the others' shifted by one."""
    job = Job(4)
    for _ in range(3):
        for operation, shape in STEP:
            job.all(job.world, operation, shape=shape)
    for rank in range(4):
        for place, (operation, shape) in enumerate(STEP):
            if rank != 3 or place != 2:
                job.call(rank, job.world, operation, shape, state=DONE if place < 2 else PENDING)
    return job.files()


@case(EXTRA, OPERATION, root=[1], victims=[0, 2, 3], says=["extra|more|additional|only rank 1"])
def rank_1_issued_one_collective_more():
    job = Job(4)
    for _ in range(3):
        for operation, shape in STEP:
            job.all(job.world, operation, shape=shape)
    for rank in range(4):
        calls = list(STEP)
        if rank == 1:
            calls.insert(2, ("broadcast", (1,)))
        for place, (operation, shape) in enumerate(calls):
            job.call(rank, job.world, operation, shape, state=DONE if place < 2 else PENDING,
                     in_function="log_metrics" if rank == 1 and place == 2 else "step")
    return job.files()


@case(EXCHANGE, says=["60|252", "64|256"])
def the_splits_of_an_all_to_all_do_not_add_up():
    job = reduced()
    for rank in range(4):
        job.call(rank, job.world, "all_to_all", (60,) if rank == 2 else (64,), out=(64,), state=PENDING)
    return job.files()


@case(SHAPE, root=[6], victims=[0, 1, 2, 3, 4, 5, 7], says=["_all_gather_base|all_gather"])
def one_of_eight_shards_has_another_size():
    job = Job(8)
    job.all(job.world, "_all_gather_base", shape=(128,), times=4)
    for rank in range(8):
        size = 96 if rank == 6 else 128
        job.call(rank, job.world, "_all_gather_base", (size,), state=PENDING)
    return job.files()


@case(SHAPE, root=[1, 3], victims=[0, 2, 4, 5, 6, 7])
def two_of_eight_ranks_bring_another_shape():
    job = Job(8)
    job.all(job.world, "all_reduce", times=4)
    for rank in range(8):
        job.call(rank, job.world, "all_reduce", (31,) if rank in (1, 3) else (32,), state=PENDING)
    return job.files()


@case(SHAPE, says=[r"tie|cannot (tell|say|decide)|either|which of", "0-1", "2-3"])
def half_the_ranks_bring_another_shape():
    job = reduced()
    for rank in range(4):
        job.call(rank, job.world, "all_reduce", (16 if rank < 2 else 32,), state=PENDING)
    return job.files()
