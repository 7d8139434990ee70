"""Gloo threads of PyTorch 2.13 outlive destroy_process_group. About one run in sixty, more on a busy machine, is aborted by one of
them while Python shuts down, after every rank has said that it is done: not the job's doing, and no fault of ours."""

import pathlib

from harness.output import RankProgress

ABORT = "terminate called without an active exception"


def aborted_at_exit(ranks: dict[int, RankProgress], folder: pathlib.Path) -> bool:
    if not ranks or not all(progress.done for progress in ranks.values()):
        return False
    paths = [folder / f"rank_{rank}.err" for rank in ranks]
    return any(path.exists() and ABORT in path.read_text(errors="replace") for path in paths)
