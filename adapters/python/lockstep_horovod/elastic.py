"""Elastic training: Horovod gives the ranks out anew when workers come or go, and a process that stays may become another one.
Each time is another life of the job, with its own record files, as a restart is.

All ranks must give a life the same number without asking each other. The launcher's process counts the lives and tells those
it starts in which one that is; from then on each of them counts its own initializations, of which every life takes one."""

import functools
import os

_LIFE = "LOCKSTEP_HOROVOD_LIFE"  # in which a process was started
_initializations = 0  # of Horovod, in this process


def watch_launcher(gloo_run):
    """`gloo_run`: Horovod's module that starts workers."""
    driver, make_environment = gloo_run.ElasticDriver, gloo_run.create_slot_env_vars
    resume = driver.resume
    lives = [0]

    @functools.wraps(resume)
    def told_resume(self):
        lives[0] += 1
        return resume(self)

    @functools.wraps(make_environment)
    def told_environment(slot_info):
        return make_environment(slot_info) | {_LIFE: str(lives[0])}

    driver.resume, gloo_run.create_slot_env_vars = told_resume, told_environment


def is_used():
    return os.environ.get("HOROVOD_ELASTIC") == "1"


def is_first_life():
    """Later the environment no longer tells the rank of everyone."""
    return _initializations <= 1 and _number_in(_LIFE) == 0


def note_initialization():
    global _initializations
    _initializations += 1


def restart():
    """The number of this life among the restarts of the job; -1 leaves it to the environment."""
    if not is_used():
        return -1
    return _number_in("LOCKSTEP_RESTART") + _number_in(_LIFE) + max(0, _initializations - 1)


def _number_in(variable):
    text = os.environ.get(variable, "")
    return int(text) if text.isdigit() else 0
