"""A question answered by a child in the namespaces of a host."""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "lab"))

from harness import namespaces


def on_host(pid: int, ask, *words) -> object:
    """What `ask` returns there; None when the child died."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        try:
            namespaces.enter(pid)
            os.write(into, json.dumps(ask(*words)).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else None
