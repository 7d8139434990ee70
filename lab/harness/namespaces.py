"""The few system calls behind hosts, which Python 3.11 does not offer by name."""

import ctypes
import os

NEW_MOUNT, NEW_UTS, NEW_IPC, NEW_NETWORK, NEW_CGROUP = 0x20000, 0x4000000, 0x8000000, 0x40000000, 0x2000000
HOST = NEW_MOUNT | NEW_UTS | NEW_IPC | NEW_NETWORK
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_SUBREAPER, _PARENT_DEATH_SIGNAL = 36, 1
_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int):
    _check(_libc.unshare(flags), "unshare")


def enter(pid: int, flags: int = HOST):
    """Moves this process into the namespaces of another one, all at once."""
    descriptor = os.pidfd_open(pid)
    try:
        _check(_libc.setns(descriptor, flags), f"setns to {pid}")
    finally:
        os.close(descriptor)


def make_mounts_private():
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE, None)


def bind(source: str, target: str):
    _mount(source, target, None, _MS_BIND, None)


def mount(kind: str, target: str, options: str | None = None):
    _mount(kind, target, kind, 0, options)


def become_subreaper():
    """Orphans of this process's descendants become its own children."""
    _check(_libc.prctl(_SUBREAPER, 1, 0, 0, 0), "prctl")


def die_with_parent(signal_number: int):
    _check(_libc.prctl(_PARENT_DEATH_SIGNAL, signal_number, 0, 0, 0), "prctl")


def _mount(source, target, kind, flags, options):
    encode = lambda text: None if text is None else os.fsencode(text)
    _check(_libc.mount(encode(source), encode(target), encode(kind), flags, encode(options)),
           f"mount on {target}")


def _check(result: int, what: str):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
