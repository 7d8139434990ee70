"""Dumps of real PyTorch 2.11 jobs over NCCL 2.28 on one H200, taken by lab/gpu/collect_dumps; paths are shortened. Rank 2 is
the faulty one of four. Those that hung are what PyTorch wrote by itself when its watchdog gave up.
"""

from pathlib import Path

from case import DTYPE, NO_EVIDENCE, MISSING_RANK, OPERATION, ORDER_INVERSION, SHAPE, SKIPPED, case

REAL = Path(__file__).resolve().parent.parent / "real_nccl"


def real(name: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((REAL / name).iterdir())}


@case()
def real_nccl_healthy():
    return real("healthy")


@case(MISSING_RANK, root=[2], victims=[0, 1, 3], says=["all_reduce", r"torch_faults\.py"])
def real_nccl_rank_2_waits_for_data():
    return real("missing_rank")


@case(SHAPE, root=[2], says=["65536", "131072"])
def real_nccl_rank_2_reduces_another_shape():
    """NCCL did not hang on it: what the collective computed is wrong on every rank."""
    return real("another_shape")


@case(DTYPE, root=[2], says=["[Dd]ouble|float64"])
def real_nccl_rank_2_reduces_another_type():
    return real("another_type")


@case(ORDER_INVERSION, root=[2], victims=[0, 1, 3], says=["loss", "norm"])
def real_nccl_rank_2_uses_two_groups_in_the_other_order():
    return real("order_inversion")


@case(SKIPPED, ORDER_INVERSION, root=[2], victims=[0, 1, 3], says=["loss"])
def real_nccl_rank_2_skipped_the_bucket():
    return real("skipped_collective")


@case(OPERATION, root=[2], victims=[0, 1, 3], says=["barrier", "all_reduce"])
def real_nccl_rank_2_left_the_loop_early():
    return real("left_early")


@case(NO_EVIDENCE, root=[2], victims=[0, 1, 3], says=["absence of evidence"])
def real_nccl_rank_2_was_killed():
    return real("killed_rank")
