"""Dumps that list only what is not finished: what they do not list is finished, or was never issued."""

from case import MISSING_RANK, STUCK, case
from job import PENDING, Job


def experts(ranks: int = 8) -> tuple[Job, list]:
    """Two expert-parallel groups of Megatron beside the world, and a while of training."""
    job = Job(ranks, ring=20_000)
    half = ranks // 2
    groups = [job.group(str(1 + at), range(at * half, (at + 1) * half), "EXPERT_MODEL_PARALLEL_GROUP") for at in (0, 1)]
    for _ in range(20):
        for group in groups:
            job.all(group, "all_to_all", times=2)
        job.all(job.world, "all_reduce")
    return job, groups


@case(STUCK, root=[5], says=["expert-parallel group of ranks 4-7", "did not finish on rank 5"],
      never_says=["[Aa]ll ranks joined"])
def active_entries_alone_show_who_is_left_behind():
    """All but rank 5 have left an all_to_all and wait in the next calls."""
    job, groups = experts()
    for rank in range(8):
        group = groups[rank // 4]
        job.call(rank, group, "all_to_all", **({"state": PENDING} if rank == 5 else {}))
        job.call(rank, group, "all_to_all", **({} if rank < 4 else {"state": PENDING}))
        job.call(rank, job.world, "all_reduce", state=PENDING)
    return job.json_files(only_active=True)


@case(MISSING_RANK, root=[6], says=["Rank 6 never joined"], never_says=["[Aa]ll ranks joined"])
def active_entries_alone_show_who_never_came():
    """Rank 6 lists nothing: it finished all that it issued, and its counters tell how far that is."""
    job, groups = experts()
    for rank in (0, 1, 2, 3, 4, 5, 7):
        job.call(rank, groups[rank // 4], "all_to_all", **({} if rank < 4 else {"state": PENDING}))
        job.call(rank, job.world, "all_reduce", state=PENDING)
    return job.json_files(only_active=True)
