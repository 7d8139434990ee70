"""Checkpoints of tf.train.Checkpoint, and all that is built on it. One that fails has a frame of ours in its
traceback."""

import functools

from lockstep_python.recorder import PHASE_BEGIN, PHASE_END


def watch(session, checkpoint):
    kind = checkpoint.TrackableSaver
    kind.save = _told(kind.save, session.library, "checkpoint_save")
    kind.restore = _told(kind.restore, session.library, "checkpoint_load")


def _told(function, library, activity):
    @functools.wraps(function)
    def told(self, *arguments, **keywords):
        library.mark_activity(activity, PHASE_BEGIN)
        try:
            return function(self, *arguments, **keywords)
        finally:
            library.mark_activity(activity, PHASE_END)

    return told
