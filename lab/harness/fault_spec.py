"""Faults as they are written: kill:RANK@STEP, delay:RANK@STEP:SECONDS, drop:A-B@STEP ...

A fault strikes when its rank has printed its step; without @STEP, when the rank is ready.
"""

import re
from dataclasses import dataclass

from harness.errors import LabError

FORM = re.compile(r"(?P<kind>\w+):(?P<rank>\d+)(-(?P<peer>\d+))?(@(?P<step>\d+))?"
                  r"(:(?P<amount>\d+(\.\d+)?))?$")

# kind: (wants a peer, amount or None, what it does)
KINDS = {
    "kill": (False, None, "SIGKILL the rank"),
    "stop": (False, None, "SIGSTOP the rank, for good"),
    "delay": (False, "SECONDS", "pause the rank for a time"),
    "starve": (False, "PERCENT", "give the rank this share of one core"),
    "drop": (True, None, "reset the connections between two ranks"),
    "cut": (True, None, "lose all packets between their hosts"),
    "fill_shm": (False, None, "fill /dev/shm of the rank's host"),
}


@dataclass(frozen=True)
class Fault:
    kind: str
    rank: int
    step: int | None = None
    amount: float | None = None
    peer: int | None = None

    def __str__(self) -> str:
        text = f"{self.kind}:{self.rank}"
        text += "" if self.peer is None else f"-{self.peer}"
        text += "" if self.step is None else f"@{self.step}"
        return text + ("" if self.amount is None else f":{self.amount:g}")

    @property
    def needs_hosts(self) -> bool:
        return self.kind in ("cut", "fill_shm")


def form_of(kind: str) -> str:
    wants_peer, amount, _ = KINDS[kind]
    return (f"{kind}:{'RANK-RANK' if wants_peer else 'RANK'}[@STEP]"
            + (f":{amount}" if amount else ""))


def parse_fault(text: str) -> Fault:
    kind = text.partition(":")[0]
    if kind not in KINDS:
        raise LabError(f"no fault is called {kind!r}; there are {', '.join(KINDS)}")
    wants_peer, amount, _ = KINDS[kind]
    match = FORM.match(text)
    if (not match or (match["peer"] is not None) != wants_peer
            or (match["amount"] is not None) != (amount is not None)):
        raise LabError(f"the fault {text!r} is not readable; write {form_of(kind)}")
    fault = Fault(kind, int(match["rank"]), _number(match["step"], int),
                  _number(match["amount"], float), _number(match["peer"], int))
    if amount == "PERCENT" and not 0 < fault.amount <= 100:
        raise LabError(f"the fault {text!r} wants a percentage above 0 and at most 100")
    return fault


def _number(text: str | None, kind):
    return None if text is None else kind(text)
