"""Dumps of real PyTorch 2.13 jobs over Gloo, taken by tests/dumps/take_real. Rank 2 is the faulty one of four.

Gloo's dumps name no members, and a collective that failed with an exception is retired there like one that completed.
"""

from pathlib import Path

from case import DTYPE, MISSING_RANK, OPERATION, ORDER_INVERSION, SHAPE, SKIPPED, case

REAL = Path(__file__).resolve().parent.parent / "real"


def real(name: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((REAL / name).iterdir())}


@case(MISSING_RANK, root=[2], victims=[0, 1, 3], says=["all_reduce", r"torch_faults\.py"])
def real_gloo_rank_2_waits_for_data():
    return real("missing_rank")


@case(SHAPE, root=[2], says=["65536", "131072"])
def real_gloo_rank_2_reduces_another_shape():
    """Rank 1 was aborted by Gloo and left no dump; the collective is retired on the three others."""
    return real("another_shape")


@case(DTYPE, root=[2], says=["[Dd]ouble|float64"])
def real_gloo_rank_2_reduces_another_type():
    return real("another_type")


@case(ORDER_INVERSION, says=["loss", "norm"])
def real_gloo_rank_2_uses_two_groups_in_the_other_order():
    return real("order_inversion")


@case(SKIPPED, ORDER_INVERSION, says=["loss"])
def real_gloo_rank_2_skipped_the_bucket():
    """The others wait for it in the world, it waits for them in the group of the loss."""
    return real("skipped_collective")


@case(OPERATION, root=[2], victims=[0, 1, 3], says=["barrier", "all_reduce"])
def real_gloo_rank_2_left_the_loop_early():
    return real("left_early")


@case(says=[r"[Rr]ank 2.*no dump|no dump.*[Rr]ank 2|left no dump"])
def real_gloo_survivors_of_a_killed_rank_show_nothing_pending():
    """Their last collective failed and is retired: from these dumps alone nobody can be accused."""
    return real("killed_rank")


@case()
def real_gloo_healthy():
    return real("healthy")


@case()
def real_gloo_healthy_in_both_forms():
    return real("both_forms")
