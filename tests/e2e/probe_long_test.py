"""For `make test-network`: all pairs of many hosts with random rules; the static verdict of each must be that of real packets."""

import os
import random

import pytest

from harness.host_spec import default_hosts
from harness.hosts import Hosts
from probe_hosts import probe

COUNT = int(os.environ.get("LOCKSTEP_PROBE_HOSTS", "200"))
SEEDS = int(os.environ.get("LOCKSTEP_PROBE_SEEDS", "3"))
FIRST_PORT, LAST_PORT = 1024, 1123  # of MPI's ranks on a host


def random_rules(pick: random.Random) -> str:
    """Rules that tell apart who comes from where to which port, in both directions, by both refusals and silence."""

    def peers(word: str) -> str:
        address = f"10.77.0.{pick.randrange(1, COUNT + 1)}"
        return pick.choice([f"ip {word} {address} ", f"ip {word} {address}/{pick.randrange(25, 31)} ", f"ip {word} @some ",
                            f"ip {word} != {address}/25 "])

    def ports() -> str:
        first = pick.randrange(FIRST_PORT - 20, LAST_PORT)
        return pick.choice([f"tcp dport {first}", f"tcp dport {first}-{first + pick.randrange(120)}", f"tcp dport {{ 22, {first} }}",
                            "tcp dport 1000-1200"])

    def rule(word: str) -> str:
        return f"{peers(word)}{ports()} {pick.choice(['accept', 'accept', 'drop', 'reject with tcp reset', 'reject', 'jump side'])};"

    some = ", ".join(sorted({f"10.77.0.{pick.randrange(1, COUNT + 1)}" for _ in range(12)}))
    return (f"table inet t {{ set some {{ type ipv4_addr; elements = {{ {some} }}; }}; "
            f"chain side {{ {ports()} {pick.choice(['accept', 'drop', 'return'])}; }}; "
            f"chain in {{ type filter hook input priority 0; ct state established,related accept; {' '.join(rule('saddr') for _ in range(5))} }}; "
            f"chain out {{ type filter hook output priority 0; ct state established accept; {' '.join(rule('daddr') for _ in range(2))} }}; }}\n")


@pytest.mark.parametrize("seed", range(SEEDS))
def test_static_verdicts_are_those_of_packets_on_all_pairs(seed, capsys):
    pick = random.Random(seed)
    with Hosts(default_hosts(COUNT)) as hosts:
        for host in hosts:
            host.add_rules(random_rules(pick))
        done = probe(hosts, ["mpirun", "-np", str(COUNT), "--host", ",".join(host.name for host in hosts), "./train"],
                     "--python", "/bin/false")
    told = done.told
    wrong = [one for one in told["failures"] if (one["end"] in ("open", "open_to_other")) == (one["predicted"] == "blocked")]
    with capsys.disabled():
        print(f"\n{told['tried']} connections of {told['hosts']} hosts in {told['seconds']} s: {told['not_open']} not open, "
              f"{told['contradicting']} against the static verdict")
    assert told["contradicting"] == 0 and told["without_prediction"] == 0, wrong[:20]
    assert told["hosts"] == COUNT and told["tried"] >= COUNT * (COUNT - 1)
    assert 0.02 < told["not_open"] / told["tried"] < 0.98
