"""Calls back when a module has been imported. A module that never is costs one comparison for each import."""

import importlib.machinery
import sys

_actions = {}  # module name: what is to be done, in turn, with the module once it has run


class _Finder:
    """First in sys.meta_path; finds nothing itself, and lets the loader of a watched module call back at its end."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _actions:
            return None
        spec = _spec_from_others(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            _call_after(spec.loader)
        return spec


def _spec_from_others(name, path, target):
    for finder in sys.meta_path:
        if finder is not _Finder and hasattr(finder, "find_spec"):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
    return None


def _call_after(loader):
    run = loader.exec_module

    def exec_module(module):
        run(module)
        del loader.exec_module
        for action in _actions.pop(module.__name__, []):
            _call(action, module)

    loader.exec_module = exec_module


def _call(action, module):
    try:
        action(module)
    except Exception as error:
        from lockstep_python import notes
        notes.tell(f"after the import of {module.__name__}: {error!r}")


def after_import(name, action):
    if name in sys.modules:
        action(sys.modules[name])
    else:
        _actions.setdefault(name, []).append(action)


def begin():
    sys.meta_path.insert(0, _Finder)
