"""Steps, checkpoints and waits for data, seen where PyTorch passes anyway: no function is put between the job and
PyTorch, so tracebacks stay as they are."""

import functools
import os
import sys
import threading
import weakref

from lockstep_python import checksums, import_watch, steps, stops
from lockstep_python.recorder import PAYLOAD_KEEPS, PAYLOAD_OFF, PHASE_BEGIN, PHASE_END
from lockstep_torch import model_sums, state

MOST_FRAMES = 64
_DATA_WAIT = "enumerate(DataLoader)#"
_is_watching = False


def watch(library, native=None):
    """Once in a process, whichever adapters ask for it; `native`: for what lies on a device."""
    global _is_watching
    if _is_watching:
        return
    _is_watching = True
    import torch
    import torch.serialization
    _watch_steps(library, native, torch)
    _watch_data_waits(library, torch.autograd.profiler.record_function)
    _watch_files(library, torch.serialization)
    for module, function, activity in (("saver", "_save_state_dict", "checkpoint_save"),
                                       ("loader", "_load_state_dict", "checkpoint_load")):
        import_watch.after_import(f"torch.distributed.checkpoint.state_dict_{module}",
                                  functools.partial(_watch_function, library, function, activity))
    import_watch.after_import("torch.distributed.checkpoint.state_dict", _leave_out_first_step)


def _leave_out_first_step(module):
    """An optimizer that has no state yet is made to step once, without effect, before its state is saved or loaded."""
    make = getattr(module, "_init_optim_state", None)
    if make is None:
        return

    @functools.wraps(make)
    def _init_optim_state(*arguments, **named):
        steps.begin_fit()
        try:
            return make(*arguments, **named)
        finally:
            steps.end_fit()

    module._init_optim_state = _init_optim_state


class _Steps:
    """A step ends when the optimizer has stepped; of several optimizers the first one counts."""

    def __init__(self, library, native, torch):
        self._now_ns = library.now_ns
        self._mark = library.activity("step")
        self._leader = lambda: None
        self._end_ns = 0
        has_payload = library.payload_mode() != PAYLOAD_OFF
        self._state = state.State(library, native) if has_payload else None
        self._begin = _StepBegin(library, torch) if has_payload else None
        self._sums = model_sums.ModelSums(library, torch) if checksums.Checksums().are_wanted() else None

    def end(self, optimizer):
        if steps.told_above() or (steps.last_number() == 0 and _only_makes_state(sys._getframe(1))):
            return
        if self._leader() is not optimizer:
            if self._leader() is not None:
                return
            self._leader = weakref.ref(optimizer)
        now_ns = self._now_ns()
        steps.tell_ended(self._mark, self._end_ns, now_ns)
        if self._state is not None:
            self._state.keep(optimizer, steps.last_number())
            self._begin.expect()
        if self._sums is not None:
            self._sums.after_step(optimizer, steps.last_number())
        self._end_ns = now_ns
        if self._state is not None:
            stops.after_step(steps.last_number(), functools.partial(self._state.learned, optimizer))


def _only_makes_state(frame):
    """Horovod makes a new optimizer step once, on gradients of zero, before it broadcasts its state."""
    for _ in range(MOST_FRAMES):
        if frame is None or frame.f_code.co_name == "broadcast_optimizer_state":
            return frame is not None
        frame = frame.f_back
    return False


@functools.cache
def _steps_within_steps(kind):
    """Whether the `step` of such an optimizer may call that of its base, as Horovod's does, and both tell of themselves."""
    return sum(hasattr(vars(base).get("step"), "hooked") for base in kind.__mro__) > 1


def _is_inner_step(optimizer, frame):
    """`frame`: where PyTorch calls a step, its `func`, and tells of it."""
    return frame.f_locals.get("func") is not getattr(type(optimizer).step, "__wrapped__", None)


def _watch_steps(library, native, torch):
    """Every optimizer calls this empty method of its own when it has stepped, in all versions, for profilers."""
    told = _Steps(library, native, torch)
    is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
    before = torch.optim.Optimizer._optimizer_step_code

    def _optimizer_step_code(self):
        if not is_compiling() and not (_steps_within_steps(type(self)) and _is_inner_step(self, sys._getframe(1))):
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
    """`path`: where it is saved to, for the payload; empty: nowhere that a script could resume from."""

    def __init__(self, library, activity, path=""):
        self._library, self._activity, self._path = library, activity, path

    def __enter__(self):
        _inside.depth = getattr(_inside, "depth", 0) + 1
        if _inside.depth == 1:
            self._library.mark_activity(self._activity, PHASE_BEGIN)

    def __exit__(self, kind=None, *_):
        if _inside.depth == 1:
            self._library.mark_activity(self._activity, PHASE_END)
            if self._path and kind is None and self._library.payload_mode() == PAYLOAD_KEEPS and _is_main_thread():
                self._library.keep_checkpoint(self._path)
        _inside.depth -= 1


def _is_main_thread():
    """What another thread saves is a part of a checkpoint, or one of a step that may be long over."""
    return threading.current_thread() is threading.main_thread()


class _StepBegin:
    """A step begins when a module computes with gradients for the first time since the last one ended. A hook of all
    modules, which goes when it has seen that."""

    def __init__(self, library, torch):
        self._begin_step, self._is_grad_enabled = library.begin_step, torch.is_grad_enabled
        self._register = torch.nn.modules.module.register_module_forward_pre_hook
        self._hook = None
        self.expect()

    def expect(self):
        if self._hook is None:
            self._hook = self._register(self._seen)

    def _seen(self, *_):
        if self._hook is not None and self._is_grad_enabled():
            self._hook.remove()
            self._hook = None
            self._begin_step()


def _watch_files(library, serialization):
    """torch.save and torch.load hold the file they work on open in a context manager of their own."""
    opener = serialization._opener
    enter = opener.__enter__

    def checkpoint_of(opened):
        writes = "writer" in type(opened).__name__ or "w" in str(getattr(opened.file_like, "mode", ""))
        if not writes:
            return _Checkpoint(library, "checkpoint_load")
        name = getattr(opened, "name", None) or getattr(opened.file_like, "name", None)
        return _Checkpoint(library, "checkpoint_save", os.path.abspath(name) if isinstance(name, str) else "")

    def __enter__(self):
        checkpoint_of(self).__enter__()
        return enter(self)

    def told_exit(leave):
        def __exit__(self, *error):
            try:
                return leave(self, *error)
            finally:
                checkpoint_of(self).__exit__(*error)
        return __exit__

    opener.__enter__ = __enter__
    for kind in [opener, *opener.__subclasses__()]:
        if "__exit__" in vars(kind):
            kind.__exit__ = told_exit(kind.__exit__)


def _watch_function(library, name, activity, module):
    function = getattr(module, name)

    @functools.wraps(function)
    def told(*arguments, **keywords):
        values = [*arguments, *keywords.values()] if activity == "checkpoint_save" else []
        paths = [str(getattr(value, "path", "") or "") for value in values]
        with _Checkpoint(library, activity, next(filter(None, paths), "")):
            return function(*arguments, **keywords)

    setattr(module, name, told)
