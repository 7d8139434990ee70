"""Begins the record file of this rank: before it meets the others where its rank is known then, else when it has."""

import os
import sys

from lockstep_python import notes
from lockstep_torch import solo

_session = None  # once begun: the Session, or False when there will be none
_is_watching = False


class Session:
    """The recorder and the adapter's native half in this process."""

    def __init__(self, library, native):
        self.library = library
        self.native = native  # None: Python alone
        self.pid = os.getpid()


class _WatchedHandlers(dict):
    """The table of rendezvous methods. Looking one up is the last thing that happens before ranks meet, and leaves no
    frame of ours in the traceback of a rendezvous that fails."""

    def __getitem__(self, scheme):
        try:
            told = sys._getframe(1).f_locals
            _begin_before_rendezvous(told.get("rank", -1), told.get("world_size", -1), told.get("url", ""))
        except Exception as error:
            notes.tell_without_record(repr(error))
        return solo.rendezvous if solo.is_replay() else super().__getitem__(scheme)


def watch_rendezvous(module):
    module._rendezvous_handlers = _WatchedHandlers(module._rendezvous_handlers)


def _begin_before_rendezvous(rank, world_size, url):
    if rank < 0:
        rank = int(os.environ.get("RANK", "-1"))
    if world_size < 0:
        world_size = int(os.environ.get("WORLD_SIZE", "-1"))
    if rank < 0:
        return
    begun = session(rank, world_size)
    place = _meeting_place(url)
    if begun and place:
        begun.library.set_attribute("meeting place", place)


def _meeting_place(url):
    if url.startswith("tcp://"):
        return url[len("tcp://"):].split("?")[0].rstrip("/")
    if not url.startswith("env://"):
        return url
    address, port = os.environ.get("MASTER_ADDR"), os.environ.get("MASTER_PORT")
    return f"{address}:{port}" if address and port else ""


def session(rank=-1, world_size=-1):
    """The session of this process, begun at the first call that knows the rank; None when nothing is recorded."""
    global _session
    if _session and _session.pid != os.getpid():
        _session = None  # a forked child that becomes a rank of its own
    if _session is None:
        try:
            _session = _begin(rank, world_size)
        except Exception as error:
            _session = False
            notes.tell_without_record(repr(error))
    return _session or None


def _begin(rank, world_size):
    import torch

    from lockstep_python import recorder
    from lockstep_torch import native
    library = recorder.Library()
    refused = library.start_rank("torch", torch.__version__, rank, world_size)
    if refused:
        notes.tell_without_record(f"not recorded: {os.strerror(refused)}")
        return False
    notes.attach(library)
    begun = Session(library, native.load(torch))
    library.set_attribute("pytorch adapter mode", "native" if begun.native else "python")
    if library.payload_mode() != recorder.PAYLOAD_OFF:
        _tell_surroundings(library, torch)
    _watch(begun)
    return begun


def _tell_surroundings(library, torch):
    from lockstep_torch import surroundings
    try:
        surroundings.tell(library, torch)
    except Exception as error:
        notes.tell(f"what ran and where is not told whole: {error!r}")


def _watch(begun):
    """Once: a forked child inherits it."""
    global _is_watching
    if _is_watching:
        return
    _is_watching = True
    from lockstep_torch import activities, methods, resume
    activities.watch(begun.library, begun.native)
    resume.watch(begun.library)
    methods.watch(begun)
