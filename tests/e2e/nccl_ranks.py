"""One rank of four that call NCCL by the library that stands under its name, with test doubles of NCCL and of the CUDA
driver behind it: what the adapter records is real, what NCCL would do is played. argv: what goes wrong, and at rank 2."""

import ctypes
import os
import signal
import sys

FAULT, DRIVER = sys.argv[1:3]
RANK, SIZE, FAULTY = int(os.environ["RANK"]), 4, 2
FLOAT32, FLOAT64, SUM = 7, 8, 0
STREAM = ctypes.c_void_p(3)


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


driver = ctypes.CDLL(DRIVER, mode=ctypes.RTLD_GLOBAL)
nccl = ctypes.CDLL("libnccl.so.2")
nccl.ncclCommInitRank.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, UniqueId, ctypes.c_int]


def all_reduce(communicator, count=100, data_type=FLOAT32):
    assert nccl.ncclAllReduce(None, None, ctypes.c_size_t(count), data_type, SUM, communicator, STREAM) == 0


def go_wrong(world):
    is_faulty = RANK == FAULTY
    if FAULT == "missing" and not is_faulty:
        all_reduce(world)
    elif FAULT == "shape":
        all_reduce(world, count=200 if is_faulty else 100)
    elif FAULT == "type":
        all_reduce(world, data_type=FLOAT64 if is_faulty else FLOAT32)
    elif FAULT == "split":
        half = ctypes.c_void_p()
        assert nccl.ncclCommSplit(world, RANK % 2, RANK, ctypes.byref(half), None) == 0
        if not is_faulty:
            all_reduce(half)
        if RANK % 2:
            driver.fake_finish_stream(STREAM)
    elif FAULT == "group":
        nccl.ncclGroupStart()
        nccl.ncclSend(None, ctypes.c_size_t(9), FLOAT32, (RANK + 1) % SIZE, world, STREAM)
        nccl.ncclRecv(None, ctypes.c_size_t(9), FLOAT32, (RANK - 1) % SIZE, world, STREAM)
        if not is_faulty:
            nccl.ncclGroupEnd()


def main():
    world = ctypes.c_void_p()
    assert nccl.ncclCommInitRank(ctypes.byref(world), SIZE, UniqueId(b"of all four"), RANK) == 0
    for _ in range(5):
        all_reduce(world)
        driver.fake_finish_stream(STREAM)
    go_wrong(world)
    print("ready", flush=True)
    if FAULT != "nothing":
        sys.stdin.read()  # it hangs until its standard input is closed
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
