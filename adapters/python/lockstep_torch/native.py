"""The native half of the adapter, in the build that fits this PyTorch."""

import atexit
import ctypes

from lockstep_python import native_build, notes
from lockstep_torch import build


class Native:
    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        self._library.lockstep_torch_install.restype = ctypes.c_char_p
        self._library.lockstep_torch_uninstall.restype = ctypes.c_char_p
        self._library.lockstep_torch_seen.restype = ctypes.c_char_p
        self.install()
        self.seen = set(self._library.lockstep_torch_seen().decode().split())
        atexit.register(self._library.lockstep_torch_stop)

    def install(self):
        _check(self._library.lockstep_torch_install())

    def uninstall(self):
        """From now on operations are not seen; not while another thread issues one."""
        _check(self._library.lockstep_torch_uninstall())

    def remember_group(self, address, facts):
        self._library.lockstep_torch_remember_group(ctypes.c_void_p(address), ctypes.byref(facts))

    def begin_batch(self, address):
        self._library.lockstep_torch_begin_batch(ctypes.c_void_p(address))

    def end_batch(self, address, work):
        import torch
        if work is not None and hasattr(work, "boxed"):
            torch.ops.lockstep_recorder.end_batch(address, work.boxed())
        else:
            self._library.lockstep_torch_end_batch_without_work(ctypes.c_void_p(address))


    def keep_state(self, step, names, tensors):
        """False when a device cannot sum them."""
        import torch
        return torch.ops.lockstep_recorder.keep_state(step, names, [tensor.detach() for tensor in tensors])


def _check(failure):
    if failure is not None:
        raise OSError(failure.decode(errors="replace"))


def load(torch):
    """None when it cannot be had: then Python alone records what it sees."""
    try:
        return Native(build.library_for(torch))
    except Exception as error:
        notes.tell(f"collectives that PyTorch issues in C++ (DDP's all-reduces) were not recorded: {native_build.what_helps(error)}")
        return None
