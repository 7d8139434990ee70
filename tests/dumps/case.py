"""What a case is: a function that makes the input files, and the facts the verdict must show.

The function's name is the case's name. Codes stand here once; a case may allow several where more than one is right.
"""

from dataclasses import dataclass
from collections.abc import Callable

MISSING_RANK = "desync.missing_rank"
NO_EVIDENCE = "desync.missing_evidence"
ENDED_EARLY = "desync.ended_early"
STUCK = "desync.stuck_in_collective"
ORDER_INVERSION = "deadlock.order_inversion"
P2P_CYCLE = "deadlock.point_to_point"
UNMATCHED_SEND = "point_to_point.unmatched_send"
UNMATCHED_RECEIVE = "point_to_point.unmatched_receive"
MESSAGE = "mismatch.message"
SHAPE = "mismatch.shape"
DTYPE = "mismatch.data_type"
OPERATION = "mismatch.operation"
SKIPPED = "mismatch.skipped_collective"
EXTRA = "mismatch.extra_collective"
EXCHANGE = "mismatch.exchange"
NO_GROUP = "setup.communicator_not_made"
VERSION_SKEW = "versions.differ"


@dataclass
class Case:
    name: str
    make: Callable[[], dict[str, bytes]]
    facts: dict


ALL: list[Case] = []


def case(*codes: str, root=None, victims=None, says=(), never_says=(), also=()):
    """No codes: a healthy job, without findings. `says` are regular expressions for the first finding and the
    limits; `never_says` for the whole verdict. `also` are findings that must be there at any place, as (code, root ranks). What is None is
    not asked."""
    def register(make):
        facts = {"codes": list(codes), "root_ranks": root, "victim_ranks": victims} if codes else {"findings": 0}
        facts |= {"must_say": list(says), "must_not_say": list(never_says)}
        if also:
            facts["also"] = [{"codes": [code], "root_ranks": ranks} for code, ranks in also]
        ALL.append(Case(make.__name__, make, facts))
        return make
    return register
