"""One rank of nccl_cost: all-reduces by NCCL's own interface, in blocks, of communicators that take turns.

With the shim, one communicator was made while LOCKSTEP_NCCL=0 left it out and one while it was recorded. Without it
there is one. Rank 0 prints {size: {communicator: {"call": [...], "whole": [...]}}} in microseconds for each call: what
the host spends in it, and the time of a block with the device.
"""

import ctypes
import json
import os
import time

import torch

SIZES = {1 << 17: 60, 1 << 20: 40, 1 << 22: 20, 1 << 24: 10, 1 << 26: 5}  # bytes: calls in a block
BLOCKS = 16
FLOAT32, SUM = 7, 0


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


def nccl_of_torch() -> ctypes.CDLL:
    """By the names that everybody sees, so that a preloaded shim is called; torch has NCCL for itself."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        path = next(line.split()[-1] for line in maps if "/libnccl.so" in line)
    ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(None)


def make(nccl, store, name: str, rank: int, size: int) -> ctypes.c_void_p:
    unique = UniqueId()
    if rank == 0:
        check(nccl.ncclGetUniqueId(ctypes.byref(unique)))
        store.set(name, ctypes.string_at(ctypes.byref(unique), 128).hex())
    ctypes.memmove(ctypes.byref(unique), bytes.fromhex(store.get(name).decode()), 128)
    made = ctypes.c_void_p()
    nccl.ncclCommInitRank.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, UniqueId, ctypes.c_int]
    check(nccl.ncclCommInitRank(ctypes.byref(made), size, unique, rank))
    return made


def check(result: int):
    if result != 0:
        raise SystemExit(f"NCCL says {result}")


def block(nccl, communicator, buffer, count: int, calls: int, stream) -> tuple[float, float]:
    address, handle = ctypes.c_void_p(buffer.data_ptr()), ctypes.c_void_p(stream.cuda_stream)
    torch.cuda.synchronize()
    inside = 0
    began = time.perf_counter_ns()
    for _ in range(calls):
        before = time.perf_counter_ns()
        result = nccl.ncclAllReduce(address, address, ctypes.c_size_t(count), FLOAT32, SUM, communicator, handle)
        inside += time.perf_counter_ns() - before
        if result != 0:
            check(result)
    torch.cuda.synchronize()
    return inside / calls / 1000, (time.perf_counter_ns() - began) / calls / 1000


def main():
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    store = torch.distributed.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), size, rank == 0)
    torch.cuda.set_device(0)
    stream = torch.cuda.Stream()
    nccl = nccl_of_torch()
    communicators = {}
    for name, wanted in (("off", "0"), ("on", "1")) if "LD_PRELOAD" in os.environ else (("off", "1"),):
        os.environ["LOCKSTEP_NCCL"] = wanted
        communicators[name] = make(nccl, store, name, rank, size)
    measured = {}
    for bytes_, calls in SIZES.items():
        buffer = torch.zeros(bytes_ // 4, device="cuda")
        for communicator in communicators.values():
            block(nccl, communicator, buffer, bytes_ // 4, calls, stream)
        measured[bytes_] = {name: {"call": [], "whole": []} for name in communicators}
        for number in range(BLOCKS):
            order = list(communicators.items())
            for name, communicator in order if number % 2 == 0 else reversed(order):
                call, whole = block(nccl, communicator, buffer, bytes_ // 4, calls, stream)
                measured[bytes_][name]["call"].append(call)
                measured[bytes_][name]["whole"].append(whole)
    if rank == 0:
        print(json.dumps(measured), flush=True)
    store.set(f"done{rank}", "1")
    store.get(f"done{1 - rank}")
    os._exit(0)


if __name__ == "__main__":
    main()
