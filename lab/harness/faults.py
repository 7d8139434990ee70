"""Strikes the faults of a spec when their moment has come, and keeps a list of what was done."""

import heapq
import signal
import time

from harness import rank_control
from harness.fault_spec import Fault
from harness.hosts import Host
from harness.output import RankProgress


class FaultPlan:
    def __init__(self, faults: list[Fault], host_of):
        self._waiting = list(faults)
        self._host_of = host_of
        self._timers: list[tuple[float, int, object]] = []
        self._shares: list[rank_control.CpuShare] = []
        self.struck: list[dict] = []

    def strike_due(self, progress: dict[int, RankProgress]):
        for fault in [fault for fault in self._waiting if _is_due(fault, progress)]:
            self._waiting.remove(fault)
            self.strike(fault, progress)

    def strike(self, fault: Fault, progress: dict[int, RankProgress]):
        effect = getattr(self, f"_{fault.kind}")(fault, progress)
        self.struck.append({"fault": str(fault), "effect": effect,
                            "after_step": progress[fault.rank].last_step})

    def seconds_to_next_timer(self) -> float | None:
        return max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None

    def run_timers(self):
        while self._timers and self._timers[0][0] <= time.monotonic():
            heapq.heappop(self._timers)[2]()

    def waiting(self) -> list[Fault]:
        return list(self._waiting)

    def close(self):
        for share in self._shares:
            share.close()
        self._shares.clear()
        self._timers.clear()

    def _kill(self, fault: Fault, progress) -> str:
        rank_control.send(progress[fault.rank].pid, signal.SIGKILL)
        return "killed"

    def _stop(self, fault: Fault, progress) -> str:
        rank_control.send(progress[fault.rank].pid, signal.SIGSTOP)
        return "stopped"

    def _delay(self, fault: Fault, progress) -> str:
        pid = progress[fault.rank].pid
        rank_control.send(pid, signal.SIGSTOP)
        self._after(fault.amount, lambda: rank_control.send(pid, signal.SIGCONT))
        return f"paused for {fault.amount:g} s"

    def _starve(self, fault: Fault, progress) -> str:
        share = rank_control.CpuShare(fault.rank, progress[fault.rank].pid, fault.amount)
        self._shares.append(share)
        self._drive(share)
        return f"held to {fault.amount:g} % of a core by {share.kind}"

    def _drop(self, fault: Fault, progress) -> str:
        count = rank_control.drop_connections(progress[fault.rank].pid, progress[fault.peer].pid)
        return f"reset {count} connections"

    def _cut(self, fault: Fault, progress) -> str:
        host, peer = self._host(fault.rank), self._host(fault.peer)
        rank_control.cut(host, peer)
        return f"{host.name} and {peer.name} no longer reach each other"

    def _fill_shm(self, fault: Fault, progress) -> str:
        host = self._host(fault.rank)
        return f"{rank_control.fill_shm(host)} bytes into /dev/shm of {host.name}"

    def _host(self, rank: int) -> Host:
        return self._host_of(rank)

    def _drive(self, share: rank_control.CpuShare):
        wait_s = share.tick()
        if wait_s is not None:
            self._after(wait_s, lambda: self._drive(share))

    def _after(self, seconds: float, action):
        heapq.heappush(self._timers, (time.monotonic() + seconds, id(action), action))


def _is_due(fault: Fault, progress: dict[int, RankProgress]) -> bool:
    """Two-sided faults wait for both ranks to be there."""
    ranks = [fault.rank] + ([fault.peer] if fault.peer is not None else [])
    if not all(rank in progress and progress[rank].ready for rank in ranks):
        return False
    last = progress[fault.rank].last_step
    return fault.step is None or (last is not None and last >= fault.step)
