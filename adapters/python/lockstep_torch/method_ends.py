"""When a call that Python saw has ended: its future tells, or whoever waits for it; on a device, an event."""

import collections
import threading
import time
import weakref

from lockstep_python.recorder import DONE_COMPLETED, DONE_FAILED, DONE_STARTED

INTERVAL_S = 0.01
ERROR_BYTES = 512


class Ends:
    def __init__(self, library):
        self._library = library
        self._waited = {}  # id of a Work: (the Work, weakly; ticket; device)
        self._events = _Events(library)
        self._sees_waits = False

    def fail(self, ticket, error):
        self._library.mark_call(ticket, DONE_FAILED, str(error)[:ERROR_BYTES])

    def follow(self, ticket, device, work):
        try:
            is_cpu = device is None or device.type == "cpu"
            if work is None:
                self._end(ticket, device)
            elif not (is_cpu and self._by_future(ticket, work)):
                self._watch_waits()
                self._waited[id(work)] = (weakref.ref(work), ticket, device)
        except Exception:  # this call stays without an end
            pass

    def _by_future(self, ticket, work):
        try:
            future = work.get_future()
        except RuntimeError:
            return False

        def ended(future):
            try:
                future.value()
            except Exception as error:
                self.fail(ticket, error)
            else:
                self._library.mark_call(ticket, DONE_COMPLETED)

        future.add_done_callback(ended)
        return True

    def _end(self, ticket, device):
        if device is None or device.type == "cpu":
            self._library.mark_call(ticket, DONE_COMPLETED)
        else:
            self._events.leave(ticket, device)

    def _watch_waits(self):
        if self._sees_waits:
            return
        self._sees_waits = True
        from torch.distributed.distributed_c10d import Work
        wait = Work.wait

        def told_wait(work, *arguments, **keywords):
            known, ticket, device = self._waited.pop(id(work), (None, None, None))
            is_it = known is not None and known() is work
            if is_it:
                self._library.mark_call(ticket, DONE_STARTED)
            try:
                result = wait(work, *arguments, **keywords)
            except BaseException as error:
                if is_it:
                    self.fail(ticket, error)
                raise
            if is_it:
                self._end(ticket, device)
            return result

        told_wait.__name__, told_wait.__doc__ = wait.__name__, wait.__doc__
        Work.wait = told_wait


class _Events:
    """Events behind calls on a device; a thread asks for them, and the device is never waited for."""

    def __init__(self, library):
        self._library = library
        self._open = collections.deque()
        self._thread = None

    def leave(self, ticket, device):
        import torch
        if device.type != "cuda" or torch.cuda.is_current_stream_capturing():
            return
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(device))
        self._open.append((event, ticket))
        if self._thread is None:
            self._thread = threading.Thread(target=self._ask, name="lockstep", daemon=True)
            self._thread.start()

    def _ask(self):
        while True:
            for _ in range(len(self._open)):
                event, ticket = self._open.popleft()
                if event.query():
                    self._library.mark_call(ticket, DONE_COMPLETED)
                else:
                    self._open.append((event, ticket))
            time.sleep(INTERVAL_S)
