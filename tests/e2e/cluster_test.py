"""A few clusters of lab/cluster: the broken job fails, check names the cause without running it, and the job works with the
printed repair; healthy ones are left in peace. `make test-cluster` tries them all."""

import pytest

from clusterlab.case import load
from clusterlab.trial import try_case
from recordings import LOCKSTEP

CASES = {case.name: case for kind in ("fault", "healthy") for case in load(kind)}


@pytest.mark.parametrize("name", ["interface_unknown_on_one_host", "port_is_busy", "rank_too_large", "mpi_interface_is_loopback",
                                  "firewall_with_room", "mpi"])
def test_cluster(name):
    outcome = try_case(CASES[name], str(LOCKSTEP))
    assert not outcome.wrong, outcome.wrong


def test_rows_have_names_of_their_own():
    names = [case.name for kind in ("fault", "healthy") for case in load(kind)]
    assert len(names) == len(set(names))
