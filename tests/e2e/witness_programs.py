"""Programs in the states in which a witness may find a process. Each says "ready" and does not end by itself.

usage: witness_programs.py NAME
"""

import ctypes
import os
import signal
import sys
import threading

libc = ctypes.CDLL(None)
libc_with_lock = ctypes.PyDLL(None)


def wait_in_c(library):
    """A lock that nobody opens."""
    lock = ctypes.create_string_buffer(64)
    library.sem_init(lock, 0, 0)
    ready()
    library.sem_wait(lock)


def load_batch():
    wait_in_c(libc)


def compute_for_ever():
    wait_in_c(libc_with_lock)


def read_input():
    ready()
    os.read(sys.stdin.fileno(), 1)
    wait_in_c(libc)


def in_c_without_the_lock():
    load_batch()


def in_c_with_the_lock():
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    compute_for_ever()


def waiting_for_a_signal():
    ready()
    signal.sigwait([signal.SIGUSR1])


def waiting_for_a_signal_beside_a_thread():
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    waiting_for_a_signal()


def in_the_kernel():
    """posix_spawn waits, uninterruptible, until its child has opened a pipe that nobody writes to."""
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    pipe = os.path.join(os.environ["PLACE"], "pipe")
    os.mkfifo(pipe)
    ready()
    os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, pipe, os.O_RDONLY, 0)])


def with_a_forked_child():
    if os.fork() == 0:
        wait_as_child()
    load_batch()


def wait_as_child():
    load_batch()


def after_closing_everything():
    """The number of the descriptor is used again, by a file of the job."""
    os.closerange(3, 1000)
    mine = os.open(os.path.join(os.environ["PLACE"], "mine"), os.O_RDWR | os.O_CREAT)
    for descriptor in range(200, 260):
        os.dup2(mine, descriptor)
    load_batch()


def with_all_signals_held_back():
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    load_batch()


def after_exec():
    if os.environ.get("AGAIN"):
        load_batch()
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"AGAIN": "1"})


def in_a_program_that_is_not_python():
    ready()
    os.execvp("sleep", ["sleep", "1000"])


def ready():
    print("ready", flush=True)


globals()[sys.argv[1]]()
