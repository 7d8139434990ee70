"""What this process has on GPUs, set aside in its own memory while it is frozen into an image: CRIU knows no GPUs, but the
driver can move everything out and back (CUDA 12.8, driver 570 and later).

Never to be asked of a rank that is connected to others: the driver says yes to it, and the next collective fails."""

import ctypes
import os

LOCK_WITHIN_MS = 20_000
ARGUMENT_WORDS = 8  # of 64 bits, in each of the driver's structures; zero: as usual
CONNECTED = "01"  # in the kernel's lists of TCP


class Refused(Exception):
    """Nothing was changed; the text says why."""


def is_used():
    return any(target.startswith("/dev/nvidia") for target in _open_files())


def set_aside():
    """Until it is taken back no call of CUDA returns."""
    if _is_connected():
        raise Refused("it is connected to others, who would lose it; only what runs alone can be frozen with its GPU")
    _ask("Lock", ctypes.c_uint64(LOCK_WITHIN_MS))
    try:
        _ask("Checkpoint")
    except Refused:
        _ask("Unlock")
        raise


def take_back():
    _ask("Restore")
    _ask("Unlock")


def _ask(what, first=ctypes.c_uint64(0)):
    arguments = (ctypes.c_uint64 * ARGUMENT_WORDS)(first.value)
    try:
        status = getattr(_driver(), f"cuCheckpointProcess{what}")(os.getpid(), arguments)
    except (AttributeError, OSError):
        raise Refused("the driver cannot set aside what is on the GPU; version 570 and later can") from None
    if status != 0:
        raise Refused(f"the driver does not {what.lower()} what is on the GPU: {_error_name(status)}")


def _driver():
    return ctypes.CDLL("libcuda.so.1")  # which is loaded already where a GPU is used


def _error_name(status):
    name = ctypes.c_char_p()
    known = _driver().cuGetErrorName(status, ctypes.byref(name)) == 0
    return name.value.decode() if known and name.value else f"error {status}"


def _is_connected():
    own = {target for target in _open_files() if target.startswith("socket:")}
    return any(f"socket:[{inode}]" in own for inode in _connected_inodes())


def _connected_inodes():
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/self/net/{name}", encoding="ascii") as lines:
                fields = [line.split() for line in lines][1:]
        except FileNotFoundError:
            continue
        yield from (one[9] for one in fields if one[3] == CONNECTED)


def _open_files():
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            yield os.readlink(f"/proc/self/fd/{descriptor}")
        except FileNotFoundError:
            pass
