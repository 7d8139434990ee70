"""The native half of the adapter, in the build that fits this TensorFlow. It alone sees collectives: Python runs when
a graph is made, not when it is executed."""

import ctypes

from lockstep_python import notes
from lockstep_tensorflow import build


class Native:
    def __init__(self, path, cluster):
        library = ctypes.CDLL(path)
        library.lockstep_tensorflow_install.restype = ctypes.c_char_p
        self.calls = library.lockstep_tensorflow_calls  # how many collectives have begun
        self.calls.restype = ctypes.c_uint64
        library.lockstep_tensorflow_set_tasks("\n".join(cluster.task_names()).encode(), cluster.collective_size())
        failure = library.lockstep_tensorflow_install()
        if failure is not None:
            raise OSError(failure.decode(errors="replace"))


def load(cluster, version):
    """None when it cannot be had: then steps, checkpoints and waits for data are recorded, and no collectives."""
    try:
        from tensorflow.python.platform import sysconfig
        return Native(build.library_for(sysconfig, version), cluster)
    except Exception as error:
        notes.tell(f"no native half: {error}")
        return None
