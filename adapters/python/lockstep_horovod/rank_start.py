"""Begins the record file of this rank: before Horovod's ranks meet where the launcher told the rank, else when they have met.

Horovod calls its C function of initialization through ctypes, and reports its failure itself: what stands in front of that
function is never in a traceback."""

import ctypes
import os

from lockstep_python import notes, payload, recorder
from lockstep_horovod import elastic, solo
from lockstep_horovod.native import Native

# What launchers of Horovod tell: rank, number of ranks.
_LAUNCHERS = (("HOROVOD_RANK", "HOROVOD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
              ("PMI_RANK", "PMI_SIZE"), ("PMIX_RANK", "PMIX_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS"))

_session = None  # once begun: the Session, or False when there will be none


class Session:
    """The recorder and the adapter's native half in this process."""

    def __init__(self, library, rank, restart):
        self.library, self.native = library, Native()
        self.rank, self.restart = rank, restart
        self.pid = os.getpid()


def watch(basics, binding, when_started):
    """`basics`: Horovod's object of that name for one binding. Each time that Horovod has been started, `when_started` is
    called with the session and Horovod's library."""
    library = basics.MPI_LIB_CTYPES
    if payload.is_replay():
        library.horovod_init = _Alone(basics, binding, when_started)
        return
    for name in ("horovod_init", "horovod_init_multi_comm"):
        if hasattr(library, name):
            setattr(library, name, _told(getattr(library, name), basics, binding, when_started))


class _Alone:
    """horovod_init of a replay: nobody is met."""

    def __init__(self, basics, binding, when_started):
        self._basics, self._binding, self._when_started = basics, binding, when_started
        self._solo = None

    def __call__(self, *arguments):
        library = self._basics.MPI_LIB_CTYPES
        if self._solo is not None:
            raise RuntimeError("lockstep replay: a job that starts Horovod again is replayed up to there")
        self._solo = solo.Solo(library)
        meeting = _before(None, self._binding, arguments)
        if meeting is None:
            raise RuntimeError("lockstep replay: hvd.init is not on record, because the launcher told no rank, or the job was "
                               "elastic or began with a part of its ranks")
        room = ctypes.create_string_buffer(solo.layout_bytes())
        payload.Payload().serve(meeting, "hvd.init", [(ctypes.addressof(room), len(room))])
        self._solo.start(arguments)
        self._solo.answer(room.raw)
        self._answers = solo.Answers(self._solo)
        _keep_layout(meeting, library)
        _session.library.mark_call(meeting, recorder.DONE_COMPLETED)
        _session.native.start(library, self._answers.functions)
        self._when_started(_session, library)
        return 1


def _told(init, basics, binding, when_started):
    def told(*arguments):
        meeting = _safely(_before, init, binding, arguments)
        result = init(*arguments)
        _safely(_after, basics, binding, when_started, meeting, result)
        return result

    return told


def _safely(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        (notes.tell if _session else notes.tell_without_record)(f"Horovod is not recorded: {error!r}")
        return None


def _before(init, binding, arguments):
    """The call of hvd.init, in which all ranks wait for each other; None when that cannot be told yet."""
    _leave_out_mpi_calls_of(init)
    elastic.note_initialization()
    rank, size = _told_by_launcher()
    is_for_a_part = arguments[1].value != 0  # of the job's ranks, or for a communicator of the caller
    if rank < 0 or size < 1 or is_for_a_part or (elastic.is_used() and not elastic.is_first_life()):
        return None
    session = _begin(binding, rank, size, -1)
    if session is None:
        return None
    everyone = recorder.communicator_facts("horovod hvd.init", "", "", list(range(size)), rank)
    meeting = session.library.begin_call(communicator=session.library.define_communicator(everyone), sequence=1, peer=-1,
                                         operation=recorder.words("OPERATIONS")["barrier"],
                                         name=session.library.intern("hvd.init"))
    if session.library.payload_mode() != recorder.PAYLOAD_OFF:
        payload.Payload().keep_input(meeting, [])
    return meeting


def _after(basics, binding, when_started, meeting, is_initialized):
    if meeting is not None:
        status = recorder.DONE_COMPLETED if is_initialized else recorder.DONE_FAILED
        _session.library.mark_call(meeting, status, "" if is_initialized else "Horovod initialization failed")
    if not is_initialized:
        return
    if meeting is not None:
        _keep_layout(meeting, basics.MPI_LIB_CTYPES)
    rank = basics.rank()
    session = _begin(binding, rank, basics.size(), basics.local_rank())
    if session is None:
        return
    if session.restart != elastic.restart():
        _begin_again(session, binding, rank, basics)
    elif session.rank != rank:
        session.native.stop()
        notes.tell(f"Horovod made rank {session.rank} rank {rank}: its calls from then on are not recorded")
        return
    session.native.start(basics.MPI_LIB_CTYPES)
    when_started(session, basics.MPI_LIB_CTYPES)


def _keep_layout(meeting, library):
    if _session.library.payload_mode() != recorder.PAYLOAD_OFF:
        packed = ctypes.create_string_buffer(solo.pack_layout(library), solo.layout_bytes())
        payload.Payload().keep_output(meeting, [(ctypes.addressof(packed), len(packed))])


def _begin_again(session, binding, rank, basics):
    session.rank, session.restart = rank, elastic.restart()
    refused = session.library.restart_rank("horovod", _version(), rank, basics.size(), basics.local_rank(), session.restart)
    if refused:
        raise OSError(refused, os.strerror(refused))
    session.library.set_attribute("horovod binding", binding)


def _version():
    import horovod
    return horovod.__version__


def _begin(binding, rank, size, local_rank):
    global _session
    if _session and _session.pid != os.getpid():
        _session = None  # a forked child that becomes a rank of its own
    if _session is None:
        _session = False
        library, restart = recorder.Library(), elastic.restart()
        refused = library.start_rank("horovod", _version(), rank, size, local_rank, restart)
        if refused:
            notes.tell_without_record(f"not recorded: {os.strerror(refused)}")
            return None
        notes.attach(library)
        library.set_attribute("horovod binding", binding)
        address, port = (os.environ.get(f"HOROVOD_GLOO_RENDEZVOUS_{what}") for what in ("ADDR", "PORT"))
        if address and port:
            library.set_attribute("meeting place", f"{address}:{port}")
        _session = Session(library, rank, restart)
    return _session or None


def _told_by_launcher():
    for rank, size in _LAUNCHERS:
        if os.environ.get(rank, "").isdigit():
            return int(os.environ[rank]), int(os.environ.get(size, "-1"))
    return -1, -1


def _leave_out_mpi_calls_of(init):
    """What Horovod does by MPI many times a second, in a thread of its own, is told here once and by its meaning."""
    process = ctypes.CDLL(None)
    if init is not None and hasattr(process, "lockstep_mpi_leave_out"):
        process.lockstep_mpi_leave_out(ctypes.cast(init, ctypes.c_void_p))
