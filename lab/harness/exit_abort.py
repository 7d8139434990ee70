"""Gloo threads of PyTorch 2.13 outlive destroy_process_group. About one run in sixty, more on a busy machine, is aborted by one of
them while Python shuts down: not the job's doing, and no fault of ours."""

import pathlib
import warnings

from harness.output import RankProgress

ABORT = "terminate called without an active exception"


def tell_ran_again(what: str) -> None:
    """In the test's output, also when it passes: tools/run_tests counts these lines."""
    warnings.warn(f"{what}: PyTorch 2.13 aborted a rank at its exit; its job ran again", stacklevel=2)


def is_aborted(folder: pathlib.Path) -> bool:
    """Whatever the ranks had done until then."""
    return any(ABORT in path.read_text(errors="replace") for path in folder.glob("rank_*.err"))


def aborted_at_exit(ranks: dict[int, RankProgress], folder: pathlib.Path) -> bool:
    """After every rank has said that it is done."""
    return bool(ranks) and all(progress.done for progress in ranks.values()) and is_aborted(folder)
