"""Waits for the next batch of a tf.data iterator that Python iterates over. Around each one TensorFlow switches to
synchronous execution, a context manager that is passed anyway. Iterators within a graph are not seen."""

from lockstep_python.recorder import PHASE_BEGIN, PHASE_END


class _DataWait:
    def __init__(self, library, inner):
        self._library, self._inner = library, inner

    def __enter__(self):
        self._library.mark_activity("data_wait", PHASE_BEGIN)
        return self._inner.__enter__()

    def __exit__(self, *error):
        result = self._inner.__exit__(*error)
        self._library.mark_activity("data_wait", PHASE_END)
        return result


class _WatchedContext:
    """The module `context` as the module of the iterators sees it."""

    def __init__(self, library, context):
        self._library, self._context = library, context

    def __getattr__(self, name):
        return getattr(self._context, name)

    def execution_mode(self, mode):
        inner = self._context.execution_mode(mode)
        return _DataWait(self._library, inner) if self._context.executing_eagerly() else inner


def watch(session, iterator_ops):
    iterator_ops.context = _WatchedContext(session.library, iterator_ops.context)
