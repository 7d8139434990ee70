"""Meets a fault on its first attempt, as a real job would, and none when it is repaired."""

import mmap
import os
import signal
import socket
import subprocess
import sys
import time

rank, attempt = int(os.environ["RANK"]), int(os.environ["LOCKSTEP_ATTEMPT"])
fault = sys.argv[1]
if fault == "busy_port" and rank == 0:
    port = int(os.environ["MASTER_PORT"])
    if attempt == 1:
        listens = f"import socket, time; s = socket.create_server(('', {port})); print('up', flush=True); time.sleep(600)"
        other = subprocess.Popen([sys.executable, "-c", listens], stdout=subprocess.PIPE)
        other.stdout.readline()
    socket.create_server(("127.0.0.1", port))
if fault == "host_memory":
    kept = [b"x" * (4 << 20) for _ in range(30)]
if fault == "shared_memory" and rank == 0:
    with open("/dev/shm/batch", "w+b") as batch:
        batch.truncate(16 << 20)
        view = mmap.mmap(batch.fileno(), 16 << 20)
        view[:] = b"x" * (16 << 20)
if fault == "preemption" and attempt == 1:
    print("ready", flush=True)
    signal.pause()
if fault == "saves_and_is_preempted":
    saved = os.path.join(os.environ["LOCKSTEP_CHECKPOINT_DIR"], "step")
    step = int(open(saved).read()) if os.path.exists(saved) else 0
    if step < 3:
        with open(saved, "w") as file:
            file.write(str(step + 1))
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGTERM)
if fault == "saves_when_told":
    saved = os.path.join(os.environ["LOCKSTEP_CHECKPOINT_DIR"], "step")
    if os.path.exists(saved):
        print(f"goes on at step {open(saved).read()}", flush=True)
        sys.exit(0)

    def save(step):
        with open(saved, "w") as file:
            file.write(str(step))

    signal.signal(signal.SIGTERM, lambda *_: (save(7), sys.exit(0)))
    save(1)
    signal.pause()
print(f"rank {rank} is done in attempt {attempt}", flush=True)
