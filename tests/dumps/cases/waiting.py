"""Hangs, and what the ranks that do not wait are doing."""

from case import ENDED_EARLY, MISSING_RANK, NO_EVIDENCE, OPERATION, STUCK, case
from job import DONE, PENDING, STARTED, TIMED_OUT, Job


@case(STUCK, says=["all_reduce", r"(all|every).*(arrived|came|joined|issued|entered|began|started)"], root=[])
def all_ranks_began_the_collective_and_none_finished():
    job = Job(4)
    job.all(job.world, "all_reduce", times=5)
    job.all(job.world, "all_reduce", state=STARTED)
    return job.files()


@case(STUCK, says=["broadcast", "root"], root=[])
def a_broadcast_that_all_ranks_entered_may_have_different_roots():
    """Dumps do not record the root: the verdict has to say so."""
    job = Job(4)
    job.all(job.world, "all_reduce", times=5)
    job.all(job.world, "broadcast", state=STARTED)
    return job.files()


@case(MISSING_RANK, ENDED_EARLY, root=[2], victims=[0, 1, 3], says=[r"[Rr]ank 2.*(completed|finished|ended|done)|last collective rank 2"])
def rank_2_finished_everything_and_the_others_wait():
    """Rank 2 had two steps less and left: nothing of it is pending."""
    job = Job(4)
    job.all(job.world, "all_reduce", times=6)
    for step in range(2):
        job.all(job.world, "all_reduce", state=PENDING, but=[2])
    return job.files()


@case(OPERATION, root=[1], victims=[0, 2, 3], says=["barrier", "all_reduce"])
def rank_1_is_already_in_the_final_barrier():
    job = Job(4)
    job.all(job.world, "all_reduce", times=6)
    for rank in range(4):
        if rank == 1:
            job.call(rank, job.world, "all_reduce_barrier", (1,), state=PENDING, in_function="finish")
        else:
            job.call(rank, job.world, "all_reduce", state=PENDING)
    return job.files()


@case(MISSING_RANK, root=[41], victims=[rank for rank in range(64) if rank != 41], says=["0-40", "42-63"],
      never_says=[r"0, 1, 2, 3, 4, 5, 6, 7, 8, 9"])
def sixty_three_equal_ranks_are_one_line():
    job = Job(64)
    job.all(job.world, "all_reduce", times=3)
    job.all(job.world, "all_reduce", state=PENDING, but=[41])
    return job.files()


@case(MISSING_RANK, root=[5, 6], victims=[0, 1, 2, 3, 4, 7], says=["5-6|5, 6|5 and 6"])
def two_ranks_are_missing():
    job = Job(8)
    job.all(job.world, "all_reduce", times=4)
    job.all(job.world, "all_reduce", state=PENDING, but=[5, 6])
    return job.files()


@case(MISSING_RANK, root=[1], victims=[0, 2, 3], says=["tim(ed|e) ?out|g(a|i)ven? up|abort"])
def a_collective_timed_out_waiting_for_rank_1():
    """The watchdog gave up: retired and never completed."""
    job = Job(4)
    job.all(job.world, "all_reduce", times=5)
    job.all(job.world, "all_reduce", state=TIMED_OUT, but=[1])
    return job.files()


@case(MISSING_RANK, root=[1], victims=[0, 2, 3], says=[r"\b4\b"])
def the_oldest_pending_collective_counts_not_the_last():
    """The others queued five calls ahead; rank 1 stopped before the first of them."""
    job = Job(4)
    job.all(job.world, "all_reduce", times=3)
    job.all(job.world, "all_reduce", times=5, state=PENDING, but=[1])
    return job.files()


@case(MISSING_RANK, root=[3], victims=[0, 1, 2])
def dumps_without_stacks_are_enough():
    job = Job(4)
    job.all(job.world, "all_reduce", times=3)
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    return job.files(stacks=False)


@case(NO_EVIDENCE, root=[], says=["no (dump|evidence)", "1-7"])
def one_dump_of_eight_tells_what_its_rank_waits_for():
    job = Job(8)
    job.all(job.world, "all_reduce", times=5)
    job.all(job.world, "all_reduce", state=PENDING)
    return job.files(but=range(1, 8))


@case(MISSING_RANK, root=[2], victims=[0, 1, 3])
def the_one_straggler_of_different_progress_is_the_root():
    """Each rank is at another call: 3 waits in 9 for 2, and 0 and 1 wait in 10; rank 2 stopped after 8."""
    job = Job(4)
    job.all(job.world, "broadcast", times=8)
    job.all(job.world, "broadcast", state=DONE, but=[2, 3])
    job.all(job.world, "broadcast", state=PENDING, but=[0, 1, 2])
    job.all(job.world, "broadcast", state=PENDING, but=[2, 3])
    return job.files()
