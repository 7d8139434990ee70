"""What a case is: a function that makes the input files, and the facts the verdict must show.

The function's name is the case's name. Codes stand here once; a case may allow several where more than one is right.
"""

from dataclasses import dataclass
from collections.abc import Callable

MISSING_RANK = "desync.missing_rank"
ORDER_INVERSION = "desync.order_inversion"
SKIPPED = "desync.skipped_collective"
EXTRA = "desync.extra_collective"
NO_GROUP = "desync.group_not_created"
SHAPE = "mismatch.shape"
DTYPE = "mismatch.dtype"
OPERATION = "mismatch.operation"
SPLITS = "mismatch.split_sizes"
P2P_UNMATCHED = "p2p.unmatched"
P2P_CYCLE = "p2p.cycle"
P2P_SIZE = "p2p.size_mismatch"
STUCK = "hang.all_arrived"
NOT_FINISHED = "hang.not_finished"
PEERS_UNSEEN = "hang.peers_unseen"
VERSION_SKEW = "environment.version_skew"


@dataclass
class Case:
    name: str
    make: Callable[[], dict[str, bytes]]
    facts: dict


ALL: list[Case] = []


def case(*codes: str, root=None, victims=None, says=(), never_says=(), also=()):
    """No codes: a healthy job, without findings. `says` are regular expressions for the first finding and the
    limits; `never_says` for the whole verdict. `also` are further findings as (code, root ranks). What is None is
    not asked."""
    def register(make):
        facts = {"codes": list(codes), "root_ranks": root, "victim_ranks": victims} if codes else {"findings": 0}
        facts |= {"must_say": list(says), "must_not_say": list(never_says)}
        if also:
            facts["also"] = [{"codes": [code], "root_ranks": ranks} for code, ranks in also]
        ALL.append(Case(make.__name__, make, facts))
        return make
    return register
