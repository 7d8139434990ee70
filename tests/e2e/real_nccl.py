"""Which interface real NCCL takes for its bootstrap on hosts of the lab, without a GPU: making a unique id chooses it.
Reads {"library": path, "questions": [[pid, {environment}]]} and prints a list of [interface, address], or of what it said."""

import ctypes
import json
import os
import re
import sys
import tempfile

from on_host import on_host

USING = re.compile(r"Bootstrap: Using (\S+?):(\S+)<\d+>")
FAILED = re.compile(r"NCCL WARN (.*)")


def bootstrap_interface(environment: dict, library: str) -> list:
    with tempfile.NamedTemporaryFile("r") as told:
        os.environ.update(environment, NCCL_DEBUG="INFO", NCCL_DEBUG_FILE=told.name)
        ctypes.CDLL(library).ncclGetUniqueId(ctypes.create_string_buffer(128))
        text = told.read()
    using = USING.search(text)
    return [using[1], using[2].partition("%")[0].strip("[]")] if using else FAILED.findall(text)[-1:]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps([on_host(pid, bootstrap_interface, environment, asked["library"])
                      for pid, environment in asked["questions"]]))
