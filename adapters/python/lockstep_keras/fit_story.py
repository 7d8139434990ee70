"""Where a fit is. Epochs and batches count from 1, as Keras prints them; steps go on counting over epochs, so the batch
is told by the step's distance from the first one of its epoch.

A batch ends, in the record, when the next begins or its epoch does not go on: Keras 3 may tell the end of a batch from
another thread, and later."""

from lockstep_python import steps
from lockstep_python.recorder import PHASE_BEGIN, PHASE_END


class FitStory:
    def __init__(self, library, version, state):
        self._library, self._version, self._state = library, version, state
        self._mark_step, self._mark_epoch = library.activity("step"), library.activity("epoch")
        self._mark_evaluation = library.activity("evaluation")
        self._steps_before = 0  # this epoch
        self._step = 0  # the one that is open
        self._epoch = 0
        self._fits = False

    def on_train_begin(self, *_):
        self._library.start_rank("keras", self._version, -1, -1)
        if not self._fits:
            self._fits = True
            steps.begin_fit()

    def on_train_end(self, *_):
        self._end_epoch()
        if self._fits:
            self._fits = False
            steps.end_fit()

    def on_epoch_begin(self, epoch, *_):
        self._end_epoch()
        self._steps_before = steps.last_number()
        self._epoch = epoch + 1
        self._mark_epoch(PHASE_BEGIN, self._epoch)

    def on_epoch_end(self, *_):
        self._end_epoch()

    def on_train_batch_begin(self, batch, *_):
        self._end_step()
        self._step = self._steps_before + batch + 1
        steps.raise_number(self._step)
        self._mark_step(PHASE_BEGIN, self._step)

    def on_test_begin(self, *_):
        self._end_step()
        self._mark_evaluation(PHASE_BEGIN)

    def on_test_end(self, *_):
        self._mark_evaluation(PHASE_END)

    def _end_step(self):
        if self._step:
            self._mark_step(PHASE_END, self._step)
            steps.keep_end(self._library, self._step, self._state)
            self._step = 0

    def _end_epoch(self):
        self._end_step()
        if self._epoch:
            self._mark_epoch(PHASE_END, self._epoch)
            self._epoch = 0
