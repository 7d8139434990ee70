"""The server of a replayed worker, which nobody will call: the sockets on which it listens are closed as soon as it has started.
A process that holds none can be frozen into an image also where CRIU cannot read the options of network sockets."""

import contextlib
import functools
import os
import socket


def stay_deaf(context):
    """`context`: TensorFlow's class of that name, which starts the server when it begins to work."""
    ensure_initialized = context.ensure_initialized

    @functools.wraps(ensure_initialized)
    def ensure_initialized_and_deaf(self):
        before = None if self._initialized else _listening()
        ensure_initialized(self)
        if before is not None:
            _close(_listening() - before)

    context.ensure_initialized = ensure_initialized_and_deaf


def _listening():
    """Descriptors, all of this process."""
    return {fd for fd in map(int, os.listdir("/proc/self/fd")) if _is_listening(fd)}


def _is_listening(fd):
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(fd)) as copy:
        in_network = copy.family in (socket.AF_INET, socket.AF_INET6)
        return in_network and copy.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1
    return False


def _close(descriptors):
    """Their numbers stay taken: the server believes to have them, and closes them at its end."""
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    for fd in descriptors:
        os.dup2(nothing, fd, inheritable=False)
    os.close(nothing)
