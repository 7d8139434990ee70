"""Lets a rank write its flight-recorder dump on request, without a change to its script.

Python runs this file at its start because the harness puts this folder on PYTHONPATH. A thread of its own waits for
SIGUSR2, so the dump comes out even while the main thread is stuck inside a collective; a rank that was never asked
writes it when it ends, by itself or by an exception. Nothing is imported that the script does not import itself.
"""

import atexit
import os
import signal
import sys
import threading

FOLDER = os.environ.get("LAB_DUMP_FOLDER")
RANK = os.environ.get("RANK")
DUMPS = {"fr_trace_rank_{}": "_dump_fr_trace", "nccl_trace_rank_{}": "_dump_nccl_trace"}
if os.environ.get("LAB_DUMP_JSON"):
    DUMPS |= {"fr_trace_rank_{}.json": "_dump_fr_trace_json", "nccl_trace_rank_{}.json": "_dump_nccl_trace_json"}


def write_dumps():
    c10d = getattr(getattr(sys.modules.get("torch"), "_C", None), "_distributed_c10d", None)
    for file, name in DUMPS.items():
        dump = getattr(c10d, name, None)
        if dump is not None:
            write_whole(os.path.join(FOLDER, file.format(RANK)), dump())


def write_whole(path, content):
    """Under its final name only when it is whole. Both threads may be at it."""
    part = f"{path}.{threading.get_ident()}.part"
    with open(part, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    os.replace(part, path)


def answer_signals():
    while signal.sigwait({signal.SIGUSR2}):
        write_dumps()
        atexit.unregister(write_dumps)  # after it: a rank that is just ending may not get this far


if FOLDER and RANK:
    os.makedirs(FOLDER, exist_ok=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    threading.Thread(target=answer_signals, name="flight_hook", daemon=True).start()
    atexit.register(write_dumps)
