"""horovod.torch. Every operation puts its handle into one table when it has been queued, and takes it out when it is over:
that table is where they are seen, so no function stands between the job and Horovod."""

from lockstep_horovod import rank_start
from lockstep_horovod.torch_calls import CallReader, WatchedHandles


def watch(mpi_ops):
    import torch

    def when_started(session, _):
        from lockstep_torch import activities
        mpi_ops._handle_map = WatchedHandles(mpi_ops._handle_map, CallReader(session))
        activities.watch(session.library)

    rank_start.watch(mpi_ops._basics, f"torch {torch.__version__}", when_started)
