"""Names of other backends and operations: an unknown name is just a name. And Gloo, which completes by retiring."""

from case import MISSING_RANK, SHAPE, OPERATION, case
from job import DONE, PENDING, Job


def one_short(backend: str, operation: str, missing: int) -> dict[str, bytes]:
    job = Job(4, backend=backend)
    job.all(job.world, operation, times=5)
    job.all(job.world, operation, state=PENDING, but=[missing])
    return job.files()


@case(MISSING_RANK, root=[2], victims=[0, 1, 3], says=["all_reduce"])
def an_unknown_backend_is_just_a_name():
    return one_short("hccl", "all_reduce", 2)


@case(MISSING_RANK, root=[1], victims=[0, 2, 3])
def a_backend_that_completes_only_by_retiring():
    return one_short("nccl2", "all_reduce", 1)


@case(MISSING_RANK, root=[0], victims=[1, 2, 3], says=["all_reduce"])
def a_sparse_all_reduce_misses_rank_0():
    return one_short("nccl", "all_reduce_sparse", 0)


@case(MISSING_RANK, root=[3], victims=[0, 1, 2], says=["frobnicate"])
def an_unknown_operation_is_just_a_name():
    return one_short("ucc", "frobnicate_tensors", 3)


@case(MISSING_RANK, root=[3], victims=[0, 1, 2])
def a_coalesced_broadcast_misses_rank_3():
    return one_short("nccl", "BROADCAST_coalesced", 3)


@case()
def a_healthy_job_over_mpi():
    job = Job(4, backend="mpi")
    for operation in ("broadcast", "all_reduce", "all_gather", "barrier"):
        job.all(job.world, operation, times=3)
    return job.files()


def gloo_job(ranks: int = 4) -> Job:
    """Gloo: never completed, only retired; no members in pg_config; pg_status counts the sends too."""
    job = Job(ranks, backend="gloo")
    job.all(job.world, "all_reduce", times=6)
    job.all(job.world, "barrier", shape=None)
    for rank in range(ranks):
        job.ranks[rank].counters[0].operation += rank  # sends and receives, which Gloo counts and does not record
    job.all(job.world, "all_reduce")
    return job


@case()
def gloo_never_completes_and_is_healthy():
    return gloo_job().files("fr_rank_{}")


@case(MISSING_RANK, root=[2], victims=[0, 1, 3], says=["all_reduce"])
def gloo_waits_for_rank_2_in_the_last_all_reduce():
    job = gloo_job()
    job.all(job.world, "all_reduce", state=PENDING, but=[2])
    return job.files("fr_rank_{}")


@case(SHAPE, root=[1], victims=[0, 2, 3], says=["512"])
def gloo_waits_with_another_shape_on_rank_1():
    job = gloo_job()
    for rank in range(4):
        job.call(rank, job.world, "all_reduce", (512,) if rank == 1 else (1024,), state=PENDING)
    return job.files("fr_rank_{}")


@case(OPERATION, root=[3], victims=[0, 1, 2], says=["barrier", "all_reduce"])
def gloo_rank_3_is_in_a_barrier_while_the_others_reduce():
    job = gloo_job()
    for rank in range(4):
        job.call(rank, job.world, *(("barrier", None) if rank == 3 else ("all_reduce",)), state=PENDING)
    return job.files("fr_rank_{}")


@case()
def gloo_sub_groups_of_unknown_members_are_healthy():
    """Every second rank has a group of its own under the same name: pg_config does not tell who is in it."""
    job = Job(4, backend="gloo")
    halves = [job.group("1", [0, 2]), job.group("2", [1, 3])]
    for _ in range(4):
        job.all(job.world, "all_reduce", state=DONE)
        for half in halves:
            job.all(half, "all_reduce", shape=(16,))
    return job.files("fr_rank_{}")
