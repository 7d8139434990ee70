"""horovod.torch. Every operation puts its handle into one table when it has been queued, and takes it out when it is over:
that table is where they are seen, so no function stands between the job and Horovod. One that cannot be queued is seen where
Horovod makes the error that it raises."""

import sys

from lockstep_horovod import rank_start
from lockstep_horovod.torch_calls import OPERATIONS, CallReader, WatchedHandles
from lockstep_python import checksums, notes, recorder

_refused = None  # is told of operations that could not be queued


def watch(mpi_ops):
    import torch

    def when_started(session, _):
        from lockstep_torch import activities
        calls = CallReader(session)
        mpi_ops._handle_map = WatchedHandles(mpi_ops._handle_map, calls, _keep(mpi_ops, session, calls))
        _watch_refusals(mpi_ops, calls)
        activities.watch(session.library)
        if session.library.payload_mode() != recorder.PAYLOAD_OFF:
            from lockstep_torch import surroundings
            surroundings.tell(session.library, torch)

    rank_start.watch(mpi_ops._basics, f"torch {torch.__version__}", when_started)


_native = None  # Horovod's own module, once something stands in its place


def _keep(mpi_ops, session, calls):
    """With payload or checksums: what is given to Horovod leads through here. None without."""
    global _native
    mode, is_summed = session.library.payload_mode(), checksums.Checksums().are_wanted()
    if mode == recorder.PAYLOAD_OFF and not is_summed:
        return None
    from lockstep_horovod import torch_checksums, torch_payload
    _native = _native or mpi_ops.mpi_lib
    kept = torch_payload.KeptCalls(calls, session.rank) if mode != recorder.PAYLOAD_OFF else None
    if is_summed and mode != recorder.PAYLOAD_SERVES:
        kept = torch_checksums.SummedCalls(calls, session.rank, kept)
    kind = torch_payload.ServedLibrary if mode == recorder.PAYLOAD_SERVES else torch_payload.KeptLibrary
    mpi_ops.mpi_lib = kind(_native, kept)
    return kept


def _watch_refusals(mpi_ops, calls):
    global _refused
    is_watched, _refused = _refused is not None, calls.refused
    if is_watched:
        return
    kind, file = mpi_ops.HorovodInternalError, mpi_ops.__file__
    make = kind.__init__

    def __init__(self, *arguments):
        make(self, *arguments)
        frame = sys._getframe(1)
        try:
            if frame.f_code.co_name in OPERATIONS and frame.f_code.co_filename == file:
                _refused(frame, self)
        except Exception as error:
            notes.tell(f"an operation of Horovod is not recorded: {error!r}")

    kind.__init__ = __init__
