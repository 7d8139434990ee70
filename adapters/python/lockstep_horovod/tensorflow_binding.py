"""horovod.tensorflow, and Keras on it. Its operations run in kernels of TensorFlow's graphs; the native half sees them there.
A step of a loop of the script's own is an outermost call of a tf.function in which ranks exchanged something."""

import functools

from lockstep_python import import_watch
from lockstep_python.recorder import PHASE_BEGIN, PHASE_END
from lockstep_horovod import rank_start


def watch(mpi_ops):
    import tensorflow
    rank_start.watch(mpi_ops._basics, f"tensorflow {tensorflow.__version__}", _when_started)


def _when_started(session, horovod):
    session.native.watch_tensorflow(horovod)
    _watch_steps(session)


@functools.cache
def _watch_steps(session):
    from lockstep_tensorflow import run_steps
    mark = session.library.activity("step")

    def tell_step(number, begin_ns, end_ns):
        mark(PHASE_BEGIN, number, begin_ns)
        mark(PHASE_END, number, end_ns)

    told = run_steps.RunSteps(session.library, session.native.exchanges, tell_step)
    import_watch.after_import("tensorflow.python.profiler.trace", functools.partial(run_steps.tell_function_calls, told))
