"""Puts a callback of ours into every list of callbacks, in Keras 2 and 3.

It changes nothing that shows: it takes tensors as logs, so none is converted for it; its class is called as one of
Keras's own, so Keras does not begin to time callbacks; what goes wrong in it is kept in it."""

import functools
import sys

from lockstep_keras.fit_story import FitStory
from lockstep_keras.state import State
from lockstep_python import notes, recorder
from lockstep_python.recorder import PHASE_BEGIN, PHASE_END

_library = None


def watch(module):
    """Of the several modules that know the classes; each class is changed once."""
    callback_list, checkpoint = getattr(module, "CallbackList", None), getattr(module, "ModelCheckpoint", None)
    if callback_list is not None and not hasattr(callback_list, "_lockstep"):
        callback_list._lockstep = True
        _join(callback_list, module)
    if checkpoint is not None and not hasattr(checkpoint, "_lockstep"):
        checkpoint._lockstep = True
        checkpoint._save_model = _told_save(checkpoint._save_model)


def _join(callback_list, module):
    add_defaults = callback_list._add_default_callbacks

    @functools.wraps(add_defaults)
    def _add_default_callbacks(self, *arguments, **keywords):
        add_defaults(self, *arguments, **keywords)
        try:
            library = recording_library()
            if library is not None:
                self.callbacks.insert(0, _callback(module)(library, _version(module)))
        except Exception as error:
            notes.tell(f"fit is not told: {error!r}")

    callback_list._add_default_callbacks = _add_default_callbacks


def recording_library():
    """The recorder where this process is a rank of a job; whoever saw its communication start has begun the record."""
    global _library
    if _library is None:
        _library = recorder.Library()
    return _library if _library.is_recording() else None


def _version(module):
    return getattr(sys.modules.get(module.__name__.partition(".")[0]), "__version__", "")


@functools.cache
def _callback(module):
    class Callback(module.Callback):
        """Keras 2 looks at the name: one of its own needs no timing check."""

        async_safe = True

        def __init__(self, library, version):
            super().__init__()
            self._supports_tf_logs = True
            self._story = FitStory(library, version, State(library, lambda: self.model))

        def __deepcopy__(self, memo):
            return self

    for name in ("on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_train_batch_begin",
                 "on_test_begin", "on_test_end"):
        setattr(Callback, name, _kept_in(getattr(FitStory, name)))
    return Callback


def _kept_in(tell):
    """Keras gives the number of the epoch or batch, and logs that are not looked at."""
    def hook(self, *arguments, logs=None):
        try:
            tell(self._story, *arguments)
        except Exception as error:
            notes.tell(f"{tell.__name__}: {error!r}")

    return hook


def _told_save(save):
    @functools.wraps(save)
    def _save_model(self, *arguments, **keywords):
        library = recording_library()
        if library is None:
            return save(self, *arguments, **keywords)
        library.mark_activity("checkpoint_save", PHASE_BEGIN)
        try:
            return save(self, *arguments, **keywords)
        finally:
            library.mark_activity("checkpoint_save", PHASE_END)

    return _save_model
