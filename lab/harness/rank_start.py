"""Becomes the rank's program, after the changes meant for this rank alone.

    rank_start.py CHANGES.json PROGRAM [ARGUMENT...]

CHANGES.json: {"environ": {"1": {"NAME": "value"}}, "files": {"1": {"/target": "/replacement"}}}
A replaced file is bound over its target in a mount namespace of the rank's own: no other process
sees it, and nothing on disk changes. The process keeps its pid.
"""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harness import namespaces, process_tree


def main():
    changes = json.loads(pathlib.Path(sys.argv[1]).read_text())
    rank = str(process_tree.rank_in(dict(os.environ)))
    files = changes["files"].get(rank, {})
    if files:
        namespaces.unshare(namespaces.NEW_MOUNT)
        namespaces.make_mounts_private()
        for target, replacement in files.items():
            namespaces.bind(replacement, target)
    os.environ.update(changes["environ"].get(rank, {}))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
