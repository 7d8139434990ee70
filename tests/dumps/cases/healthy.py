"""Jobs with nothing wrong: silence is the only right answer."""

from case import case
from job import Job


@case()
def everything_completed():
    job = Job(8)
    for _ in range(5):
        job.all(job.world, "broadcast")
        job.all(job.world, "_all_gather_base", shape=(128,))
        job.all(job.world, "_reduce_scatter_base", shape=(1024,))
        job.all(job.world, "all_reduce_barrier", shape=(1,))
    return job.files()


@case()
def rank_3_dumped_one_call_earlier_and_nothing_waits():
    job = Job(4)
    job.all(job.world, "broadcast", times=6)
    job.all(job.world, "broadcast", but=[3])
    return job.files()


@case(says=["(no|without a|left no) dump"])
def a_missing_dump_of_a_rank_that_nobody_waits_for_accuses_nobody():
    job = Job(4)
    job.all(job.world, "all_reduce", times=6)
    return job.files(but=[2])


@case()
def an_uneven_all_gather_is_legal():
    """NCCL does it as one broadcast per rank, each of that rank's own size."""
    job = Job(4)
    for _ in range(3):
        for rank in range(4):
            parts = [("_broadcast_oop", (100 + owner,)) for owner in range(4)]
            job.region(rank, job.world, parts, closing="ALLGATHER_coalesced")
    return job.files()


@case()
def an_all_gather_of_uneven_inputs_in_one_call_is_legal():
    job = Job(4)
    for _ in range(3):
        for rank in range(4):
            job.call(rank, job.world, "all_gather_v", (100 + rank,), out=[(100 + owner,) for owner in range(4)])
    return job.files()


@case()
def an_all_to_all_with_different_splits_is_legal():
    """What rank i sends to j is i + j: inputs and outputs differ by rank and add up over all of them."""
    job = Job(4)
    for step in range(3):
        for rank in range(4):
            total = sum(rank + peer + step for peer in range(4))
            job.call(rank, job.world, "all_to_all", (total, 8))
    sent = {0: 10, 1: 20, 2: 30, 3: 40}
    received = {0: 40, 1: 30, 2: 20, 3: 10}
    for rank in range(4):
        job.call(rank, job.world, "all_to_all", (sent[rank],), out=(received[rank],))
    return job.files()


@case()
def rooted_operations_have_sizes_on_the_root_alone():
    job = Job(4)
    for rank in range(4):
        job.call(rank, job.world, "gather", (16,), out=[(16,)] * 4 if rank == 0 else [])
        job.call(rank, job.world, "scatter", [(16,)] * 4 if rank == 1 else [], out=(16,))
        job.call(rank, job.world, "reduce", (16,))
    return job.files()


@case()
def a_job_of_one_rank():
    job = Job(1)
    job.all(job.world, "all_reduce", times=4)
    return job.files()


@case()
def recorders_that_recorded_nothing():
    return Job(4).files()
