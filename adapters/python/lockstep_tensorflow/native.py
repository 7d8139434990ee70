"""The native half of the adapter, in the build that fits this TensorFlow. It alone sees collectives: Python runs when
a graph is made, not when it is executed."""

import ctypes

from lockstep_python import native_build, notes
from lockstep_tensorflow import build


class Native:
    def __init__(self, path, cluster):
        # The interpreter's lock is kept: each call takes less than giving it away would.
        self._library = library = ctypes.PyDLL(path)
        library.lockstep_tensorflow_install.restype = ctypes.c_char_p
        library.lockstep_tensorflow_remove.restype = ctypes.c_char_p
        library.lockstep_tensorflow_calls.restype = ctypes.c_void_p
        self.calls = ctypes.c_uint64.from_address(library.lockstep_tensorflow_calls())  # how many collectives have begun
        self.tell_step = library.lockstep_tensorflow_tell_step  # number, begin and end on the clock of the records
        self.tell_step.argtypes = (ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)
        self.tell_step.restype = None
        library.lockstep_tensorflow_set_tasks("\n".join(cluster.task_names()).encode(), cluster.collective_size())
        self.install()

    def install(self):
        _check(self._library.lockstep_tensorflow_install())

    def remove(self):
        """From now on collectives are not seen."""
        _check(self._library.lockstep_tensorflow_remove())


def _check(failure):
    if failure is not None:
        raise OSError(failure.decode(errors="replace"))


def load(cluster, version):
    """None when it cannot be had: then steps, checkpoints and waits for data are recorded, and no collectives."""
    try:
        from tensorflow.python.platform import sysconfig
        return Native(build.library_for(sysconfig, version), cluster)
    except Exception as error:
        notes.tell(f"TensorFlow's collectives were not recorded: {native_build.what_helps(error)}")
        return None
