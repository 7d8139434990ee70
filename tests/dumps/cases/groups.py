"""Several groups at once: who is dragged along, who waits in a ring, and groups that share a name."""

from case import MISSING_RANK, ORDER_INVERSION, SHAPE, case
from job import PENDING, STARTED, Job


class Mesh:
    """16 ranks as tensor x pipeline x data parallel of 2 x 2 x 4: rank = 8 pp + 2 dp + tp."""

    def __init__(self):
        self.job = Job(16)
        self.tp = {(pp, dp): self.job.group(f"tp{pp}{dp}", [8 * pp + 2 * dp + tp for tp in range(2)], "tp")
                   for pp in range(2) for dp in range(4)}
        self.dp = {(pp, tp): self.job.group(f"dp{pp}{tp}", [8 * pp + 2 * dp + tp for dp in range(4)], "dp")
                   for pp in range(2) for tp in range(2)}
        self.pp = {(dp, tp): self.job.group(f"pp{dp}{tp}", [2 * dp + tp, 8 + 2 * dp + tp], "pp")
                   for dp in range(4) for tp in range(2)}

    def step(self, **what):
        self.forward(**what)
        for group in self.dp.values():
            self.job.all(group, "_reduce_scatter_base", shape=(4096,), **what)

    def forward(self, **what):
        for group in self.tp.values():
            self.job.all(group, "all_reduce", times=2, **what)
        for group in self.pp.values():
            first, second = group.members
            self.job.send(first, second, group)
            self.job.receive(second, first, group)


@case()
def three_kinds_of_parallel_groups_are_healthy():
    mesh = Mesh()
    for _ in range(3):
        mesh.step()
    return mesh.job.files()


@case(MISSING_RANK, root=[5], says=["dp"])
def one_rank_is_missing_in_a_data_parallel_group_and_drags_its_tensor_peer():
    """Rank 5 never comes to its data-parallel group. Its tensor peer 4 went on into the next forward pass and waits
    there for it; so do, one group further, the peers of the ranks that wait in rank 5's group."""
    mesh = Mesh()
    for _ in range(2):
        mesh.step()
    mesh.forward()
    job = mesh.job
    for (pp, tp), group in mesh.dp.items():
        guilty = 5 in group.members
        job.all(group, "_reduce_scatter_base", shape=(4096,), state=PENDING if guilty else "done", but=[5])
    for (pp, dp), group in mesh.tp.items():
        stuck_peers = [rank for rank in group.members if rank in mesh.dp[0, 1].members]
        for rank in group.members:
            if rank not in stuck_peers:
                job.call(rank, group, "all_reduce", state=PENDING if stuck_peers else "done")
    return job.files()


@case(MISSING_RANK, SHAPE, also=[(MISSING_RANK, [6]), (SHAPE, [2])])
def two_faults_in_two_groups_are_both_told():
    job = Job(8)
    first, second = job.group("1", range(4), "left"), job.group("2", range(4, 8), "right")
    job.all(job.world, "all_reduce", times=4)
    for group in (first, second):
        job.all(group, "all_reduce", times=3)
    for rank in range(4):
        job.call(rank, first, "all_reduce", (17,) if rank == 2 else (16,), state=PENDING)
    job.all(second, "all_reduce", state=PENDING, but=[6])
    return job.files()


@case(ORDER_INVERSION, root=[0, 1, 2], says=["A", "B", "C"])
def three_ranks_wait_in_a_ring_over_three_groups():
    job = Job(3)
    groups = [job.group("1", [0, 1], "A"), job.group("2", [1, 2], "B"), job.group("3", [2, 0], "C")]
    for group in groups:
        job.all(group, "all_reduce", times=2)
    for rank, group in zip((0, 1, 2), groups):
        job.call(rank, group, "all_reduce", state=STARTED)
    return job.files()


@case(ORDER_INVERSION, root=[2, 5], victims=[0, 1, 3, 4, 6, 7], says=["A", "B"])
def an_order_inversion_holds_up_innocent_ranks():
    """Ranks 2 and 5 use A and B in opposite order; everyone else waits for them in the world."""
    job = Job(8)
    first, second = job.group("1", [2, 5], "A"), job.group("2", [2, 5], "B")
    job.all(job.world, "all_reduce", times=5)
    job.call(2, first, "all_reduce", state=PENDING)
    job.call(5, second, "all_reduce", state=PENDING)
    job.all(job.world, "all_reduce", state=PENDING, but=[2, 5])
    return job.files()


@case(ORDER_INVERSION, says=["A", "B"])
def an_order_inversion_of_calls_queued_on_one_stream():
    """Both ranks queued both calls; what each stream runs first waits for the other rank's second."""
    job = Job(2)
    groups = [job.group("1", [0, 1], "A"), job.group("2", [0, 1], "B")]
    for group in groups:
        job.all(group, "all_reduce", times=2)
    for rank, order in ((0, groups), (1, groups[::-1])):
        job.call(rank, order[0], "all_reduce", state=STARTED)
        job.call(rank, order[1], "all_reduce", state=PENDING)
    return job.files()


def groups_of_one_name() -> tuple[Job, list]:
    """split_group gave both halves the same name; each rank knows only its own."""
    job = Job(4)
    halves = [job.group("split:0", [0, 1], "half"), job.group("split:0", [2, 3], "half")]
    job.all(job.world, "all_reduce", times=2)
    job.all(halves[0], "all_reduce", shape=(64,), times=5)
    job.all(halves[1], "all_gather", shape=(32,), times=8)
    return job, halves


@case()
def two_groups_of_one_name_are_healthy():
    return groups_of_one_name()[0].files()


@case(MISSING_RANK, root=[3], victims=[2], never_says=[r"[Rr]anks? [01](, 1)? (never|did not|is missing)"])
def a_rank_is_missing_in_one_of_two_groups_of_one_name():
    job, halves = groups_of_one_name()
    job.all(halves[1], "all_gather", shape=(32,), state=PENDING, but=[3])
    return job.files()


@case(MISSING_RANK, root=[1], victims=[0, 2, 3], says=["eval"])
def the_missing_rank_is_told_together_with_what_it_does_instead():
    """Rank 1 is alone in another group's collective; that one completed, so nothing holds it there."""
    job = Job(4)
    own = job.group("9", [1], "eval")
    job.all(job.world, "all_reduce", times=5)
    job.all(job.world, "all_reduce", state=PENDING, but=[1])
    job.all(own, "all_reduce", times=2, in_function="evaluate")
    return job.files()
