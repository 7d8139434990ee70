"""Python runs this file at its start when its folder is on PYTHONPATH. It lets the adapters see
their frameworks being imported and the watcher ask for stacks, and then runs the sitecustomize that would have been
found without it."""

import importlib.machinery
import importlib.util
import os
import sys


def _watch_frameworks():
    if not os.environ.get("LOCKSTEP_RECORD"):
        return
    from lockstep_python import frameworks
    frameworks.watch()


def _offer_stacks():
    if os.environ.get("LOCKSTEP_STACK_SIGNAL"):
        from lockstep_python import stacks
        stacks.offer(int(os.environ["LOCKSTEP_STACK_SIGNAL"]))


def _run_next_sitecustomize():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.abspath(place) for place in sys.path]
    behind = sys.path[places.index(here) + 1:] if here in places else []
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", behind)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


for _step in (_watch_frameworks, _offer_stacks):
    try:
        _step()
    except Exception:  # the job must not notice
        pass
_run_next_sitecustomize()
