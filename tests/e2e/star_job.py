"""A training-like job of the standard library alone: ranks send a number to rank 0, which answers
with the sum. It starts in a blink, so tests of the harness itself need not wait for a framework."""

import hashlib
import os
import socket
import struct

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
MASTER = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
STEPS = int(os.environ.get("LAB_STEPS", "6"))
VALUE = float(os.environ.get("LAB_VALUE", RANK + 1))


def receive(peer: socket.socket) -> float:
    data = b""
    while len(data) < 8:
        more = peer.recv(8 - len(data))
        if not more:
            raise ConnectionError("the peer has gone")
        data += more
    return struct.unpack("d", data)[0]


def connect() -> socket.socket:
    while True:
        try:
            return socket.create_connection(MASTER)
        except ConnectionRefusedError:
            continue


def gather_peers() -> list[socket.socket]:
    if RANK != 0:
        return [connect()]
    with socket.create_server(("", MASTER[1])) as server:
        return [server.accept()[0] for _ in range(WORLD - 1)]


def all_reduce(peers: list[socket.socket], value: float) -> float:
    if RANK != 0:
        peers[0].sendall(struct.pack("d", value))
        return receive(peers[0])
    total = value + sum(receive(peer) for peer in peers)
    for peer in peers:
        peer.sendall(struct.pack("d", total))
    return total


def main():
    peers = gather_peers()
    print(f"lab rank={RANK} ready pid={os.getpid()} world={WORLD}", flush=True)
    total = 0.0
    for step in range(STEPS):
        for _ in range(int(os.environ.get("LAB_SPIN", "20000"))):
            total += 0.0
        total = all_reduce(peers, VALUE + total / WORLD / 2)
        print(f"lab rank={RANK} step={step} loss={total:.17g}", flush=True)
    print(f"lab rank={RANK} done params={hashlib.sha256(repr(total).encode()).hexdigest()[:16]}",
          flush=True)


main()
