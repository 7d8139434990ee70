"""horovod.tensorflow, and Keras on it. Its operations run in kernels of TensorFlow's graphs; the native half sees them there."""

from lockstep_horovod import rank_start


def watch(mpi_ops):
    import tensorflow
    rank_start.watch(mpi_ops._basics, f"tensorflow {tensorflow.__version__}", _when_started)


def _when_started(session, horovod):
    session.native.watch_tensorflow(horovod)
