"""Steps, checkpoints and waits for data, seen where PyTorch passes anyway: no function is put between the job and
PyTorch, so tracebacks stay as they are."""

import functools
import threading
import weakref

from lockstep_python import import_watch, steps
from lockstep_python.recorder import PAYLOAD_OFF, PHASE_BEGIN, PHASE_END
from lockstep_torch import state

_DATA_WAIT = "enumerate(DataLoader)#"
_is_watching = False


def watch(library):
    """Once in a process, whichever adapters ask for it."""
    global _is_watching
    if _is_watching:
        return
    _is_watching = True
    import torch
    import torch.serialization
    _watch_steps(library, torch)
    _watch_data_waits(library, torch.autograd.profiler.record_function)
    _watch_files(library, torch.serialization)
    for module, function, activity in (("saver", "_save_state_dict", "checkpoint_save"),
                                       ("loader", "_load_state_dict", "checkpoint_load")):
        import_watch.after_import(f"torch.distributed.checkpoint.state_dict_{module}",
                                  functools.partial(_watch_function, library, function, activity))


class _Steps:
    """A step ends when the optimizer has stepped; of several optimizers the first one counts."""

    def __init__(self, library):
        self._now_ns = library.now_ns
        self._mark = library.activity("step")
        self._leader = lambda: None
        self._end_ns = 0
        self._state = state.State(library) if library.payload_mode() != PAYLOAD_OFF else None

    def end(self, optimizer):
        if steps.told_above():
            return
        if self._leader() is not optimizer:
            if self._leader() is not None:
                return
            self._leader = weakref.ref(optimizer)
        now_ns = self._now_ns()
        steps.tell_ended(self._mark, self._end_ns, now_ns)
        if self._state is not None:
            self._state.keep(optimizer, steps.last_number())
        self._end_ns = now_ns


def _watch_steps(library, torch):
    """Every optimizer calls this empty method of its own when it has stepped, in all versions, for profilers."""
    told = _Steps(library)
    is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
    before = torch.optim.Optimizer._optimizer_step_code

    def _optimizer_step_code(self):
        if not is_compiling():
            told.end(self)
        return before(self)

    torch.optim.Optimizer._optimizer_step_code = _optimizer_step_code


def _watch_data_waits(library, record_function):
    """A data loader's iterator names itself to the profiler while it gets the next batch."""
    enter, leave = record_function.__enter__, record_function.__exit__

    def __enter__(self):
        if self.name.startswith(_DATA_WAIT):
            library.mark_activity("data_wait", PHASE_BEGIN)
        return enter(self)

    def __exit__(self, kind, value, traceback):
        result = leave(self, kind, value, traceback)
        if self.name.startswith(_DATA_WAIT):
            library.mark_activity("data_wait", PHASE_END)
        return result

    record_function.__enter__, record_function.__exit__ = __enter__, __exit__


_inside = threading.local()  # the depth of checkpoints within checkpoints: only the outermost is told


class _Checkpoint:
    def __init__(self, library, activity):
        self._library, self._activity = library, activity

    def __enter__(self):
        _inside.depth = getattr(_inside, "depth", 0) + 1
        if _inside.depth == 1:
            self._library.mark_activity(self._activity, PHASE_BEGIN)

    def __exit__(self, *error):
        if _inside.depth == 1:
            self._library.mark_activity(self._activity, PHASE_END)
        _inside.depth -= 1


def _watch_files(library, serialization):
    """torch.save and torch.load hold the file they work on open in a context manager of their own."""
    save, load = _Checkpoint(library, "checkpoint_save"), _Checkpoint(library, "checkpoint_load")
    opener = serialization._opener
    enter = opener.__enter__

    def checkpoint_of(opened):
        writes = "writer" in type(opened).__name__ or "w" in str(getattr(opened.file_like, "mode", ""))
        return save if writes else load

    def __enter__(self):
        checkpoint_of(self).__enter__()
        return enter(self)

    def told_exit(leave):
        def __exit__(self, *error):
            try:
                return leave(self, *error)
            finally:
                checkpoint_of(self).__exit__()
        return __exit__

    opener.__enter__ = __enter__
    for kind in [opener, *opener.__subclasses__()]:
        if "__exit__" in vars(kind):
            kind.__exit__ = told_exit(kind.__exit__)


def _watch_function(library, name, activity, module):
    function = getattr(module, name)

    @functools.wraps(function)
    def told(*arguments, **keywords):
        with _Checkpoint(library, activity):
            return function(*arguments, **keywords)

    setattr(module, name, told)
