"""Ports of this run's own.

Between finding a free port and a rank listening on it, another run could be given the same one. So
a run holds each of its ports by an abstract Unix socket named after it, which the kernel takes back
when the run ends in whatever way. The range lies below the kernel's own choice for outgoing calls.
"""

import os
import random
import socket

from harness.errors import LabError

FIRST, LAST = 20000, 32000


class PortClaims:
    def __init__(self):
        self._claims: list[socket.socket] = []
        self._choose = random.Random(os.getpid())

    def claim(self) -> int:
        for _ in range(1000):
            port = self._choose.randrange(FIRST, LAST)
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                claim.bind(f"\0lockstep-lab-port-{port}")
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            except OSError:
                claim.close()
                continue
            self._claims.append(claim)
            return port
        raise LabError(f"no free port between {FIRST} and {LAST}")

    def release(self):
        for claim in self._claims:
            claim.close()
        self._claims.clear()
