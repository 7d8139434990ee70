"""Sends and receives: matched by pair and order, never by their numbers."""

from case import MESSAGE, MISSING_RANK, P2P_CYCLE, UNMATCHED_RECEIVE, UNMATCHED_SEND, case
from job import DONE, PENDING, Job

STAGES, MICROBATCHES = 4, 6


def pipeline() -> Job:
    """One forward, one backward: warm-up, steady state, cool-down over four stages."""
    job = Job(STAGES)
    for stage in range(STAGES):
        forwards = backwards = 0
        while backwards < MICROBATCHES:
            warm = min(STAGES - stage, MICROBATCHES)
            if forwards < MICROBATCHES and forwards - backwards < warm:
                if stage > 0:
                    job.receive(stage, stage - 1, job.world, (8, 512))
                if stage < STAGES - 1:
                    job.send(stage, stage + 1, job.world, (8, 512))
                forwards += 1
            else:
                if stage < STAGES - 1:
                    job.receive(stage, stage + 1, job.world, (8, 512))
                if stage > 0:
                    job.send(stage, stage - 1, job.world, (8, 512))
                backwards += 1
    job.all(job.world, "all_reduce")
    return job


@case()
def a_pipeline_of_four_stages_is_healthy():
    return pipeline().files()


@case(UNMATCHED_RECEIVE, root=[0], victims=[1, 2, 3], says=["recv|receive"])
def the_first_stage_never_sends_the_next_microbatch():
    """Stage 1 waits for stage 0, stage 2 for 1, stage 3 for 2; only stage 0 waits for nobody."""
    job = pipeline()
    for stage in (1, 2, 3):
        job.receive(stage, stage - 1, job.world, (8, 512), state=PENDING)
    return job.files()


@case(P2P_CYCLE, root=[0, 1, 2, 3], says=["recv|receive"])
def everyone_receives_first():
    job = Job(4)
    job.all(job.world, "all_reduce", times=3)
    for rank in range(4):
        job.receive(rank, (rank - 1) % 4, job.world, state=PENDING)
    return job.files()


def ring_batches(job: Job, but=(), **what):
    world = len(job.ranks)
    for rank in range(world):
        if rank not in but:
            job.batch(rank, job.world, [("send", (rank + 1) % world, (64,)), ("recv", (rank - 1) % world, (64,))], **what)


@case()
def a_ring_of_batched_exchanges_is_healthy():
    job = Job(4)
    for _ in range(5):
        ring_batches(job)
    return job.files()


@case(UNMATCHED_SEND, UNMATCHED_RECEIVE, MISSING_RANK, root=[2])
def one_rank_does_not_issue_its_batch():
    job = Job(4)
    for _ in range(3):
        ring_batches(job)
    ring_batches(job, but=[2], state=PENDING)
    return job.files()


@case(UNMATCHED_RECEIVE, root=[0], victims=[1], says=["recv|receive"])
def a_receive_without_a_send():
    job = Job(2)
    for last in (False, True):
        if not last:
            job.send(0, 1, job.world)
        job.receive(1, 0, job.world, state=PENDING if last else DONE)
    return job.files()


@case(MESSAGE, says=["64", "32"])
def a_send_and_its_receive_differ_in_size():
    job = Job(2)
    job.send(0, 1, job.world)
    job.receive(1, 0, job.world)
    job.send(0, 1, job.world, (64,), state=PENDING)
    job.receive(1, 0, job.world, (32,), state=PENDING)
    return job.files()


@case()
def receives_of_two_senders_in_another_order_are_healthy():
    """Rank 2 takes rank 1's message before rank 0's: numbers differ, order within each pair does not."""
    job = Job(3)
    for _ in range(3):
        job.send(0, 2, job.world, (10,))
        job.send(1, 2, job.world, (20,))
        job.receive(2, 1, job.world, (20,))
        job.receive(2, 0, job.world, (10,))
    return job.files()


@case()
def rings_that_wrapped_between_send_and_receive_are_healthy():
    """Rank 0's ring has lost sends whose receives rank 1 still shows, and the other way round."""
    job = Job(3, ring=12)
    for _ in range(10):
        job.send(0, 1, job.world)
        job.receive(1, 0, job.world)
        job.send(1, 2, job.world)
        job.receive(2, 1, job.world)
    return job.files()


@case(UNMATCHED_SEND, root=[3], victims=[2], says=[r"2.*3"], never_says=[r"[Rr]ank [01] (never|did not)"])
def group_ranks_in_a_sub_group_are_not_global_ranks():
    """In the group [2, 3] rank 2 is number 0: "send 0->1" is from rank 2 to rank 3."""
    job = Job(4)
    pair = job.group("1", [2, 3], "pp")
    job.all(job.world, "all_reduce", times=2)
    job.send(2, 3, pair)
    job.receive(3, 2, pair)
    job.send(2, 3, pair, state=PENDING)
    return job.files()
