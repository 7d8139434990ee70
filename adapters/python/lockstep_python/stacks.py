"""Lets this process write down the Python stacks of all its threads when a signal asks for them.

faulthandler writes them inside the signal handler: a thread that holds the lock of the interpreter for ever, or waits in C
without it, is written too. They go into memory that has no name in any folder, which whoever asks reads through /proc:
no file system can stall the process, and one that nobody asks leaves nothing.
"""

import _signal  # the module without the enums around it, which cost every start of Python a millisecond
import faulthandler
import fcntl
import os

NAME = "lockstep_stacks"
FIRST_DESCRIPTOR = 200  # the job finds its low numbers as it would without us

_descriptor = -1
_identity = None  # of the memory behind it: a job may close what it does not know, and use the number again


def offer(number):
    """Once in a process, at its start. A signal that somebody uses already is left alone."""
    if _is_free(number):
        _register(number)
        os.register_at_fork(after_in_child=lambda: _offer_in_child(number))


def _offer_in_child(number):
    """A child has the memory of its parent open and must not write there."""
    try:
        if os.path.samestat(os.fstat(_descriptor), _identity):
            os.close(_descriptor)
        if _is_free(number):
            _register(number)
    except Exception:  # the job must not notice
        if _is_free(number):
            faulthandler.unregister(number)


def _is_free(number):
    return _signal.SIGRTMIN <= number <= _signal.SIGRTMAX and _signal.getsignal(number) == _signal.SIG_DFL


def _register(number):
    global _descriptor, _identity
    _descriptor = _memory()
    _identity = os.fstat(_descriptor)
    os.write(_descriptor, f"{NAME} 1 pid {os.getpid()} descriptor {_descriptor} signal {number}\n".encode())
    # Not chained: only so faulthandler asks the kernel to restart the system call that the signal interrupts.
    faulthandler.register(number, file=_descriptor, all_threads=True, chain=False)


def _memory():
    low = os.memfd_create(NAME) if hasattr(os, "memfd_create") else _unnamed_file()
    try:
        descriptor = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR)
    finally:
        os.close(low)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    return descriptor


def _unnamed_file():
    """Where Python was built for an older C library: in memory too, but of limited size in a container."""
    path = f"/dev/shm/{NAME}.{os.getpid()}"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    os.unlink(path)
    return descriptor
