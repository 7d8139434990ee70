"""Facts, choices and verdicts against the real thing: hosts made of namespaces, real libraries on them, real packets."""

import json
import os
import random
import subprocess

from harness.host_spec import parse_host_options
from harness.hosts import Hosts
from network_hosts import LOCKSTEP, PATIENCE_S, asked, facts_of

RULE_SETS = int(os.environ.get("LOCKSTEP_RULE_SETS", "6"))
SILENCE_S = 1.0


def test_facts_tell_what_the_host_is(tmp_path):
    (tmp_path / "rules").write_text("table inet f { chain input { type filter hook input priority 0; policy accept; "
                                    "tcp dport 29500 drop; }; }\n")
    with Hosts(parse_host_options(2, [f"1:mtu=9000,shm=8m,rules={tmp_path / 'rules'}"])) as hosts:
        file = facts_of(hosts[1], tmp_path, "--name=host0")
        os.environ["LOCKSTEP_TEST_TOKEN"] = "not for others"
        try:
            said = json.loads(file.read_text())
            again = json.loads(hosts[1].run([str(LOCKSTEP), "facts"], capture_output=True, text=True, check=True).stdout)
        finally:
            del os.environ["LOCKSTEP_TEST_TOKEN"]
    assert said["schema"] == "lockstep-facts-v1" and said["host"] == "host1"
    eth0 = next(item for item in said["interfaces"] if item["name"] == "eth0")
    assert (eth0["mtu"], eth0["running"]) == (9000, True)
    assert eth0["addresses"][0]["address"].startswith("10.77.0.2/")
    assert said["shared_memory"]["total_bytes"] == 8 << 20
    assert any(route["to"] == "0.0.0.0/0" for route in said["routes"])
    assert next(item for item in said["names"] if item["name"] == "host0")["ipv4"] == ["10.77.0.1"]
    assert "29500" in json.dumps(said["firewall"]["nftables"])
    assert said["limits"]["nofile"]["soft"] > 0 and said["versions"]["python"]
    assert again["environment"]["LOCKSTEP_TEST_TOKEN"] == "<masked>"


def random_rules(seed: int, address: str) -> str:
    """A rule set for nft: sets, ranges, jumps, both verdicts of refusal, state, several chains at one hook."""
    pick = random.Random(seed)

    def ports() -> str:
        first = pick.randrange(5000, 5010)
        return pick.choice([f"tcp dport {first}", f"tcp dport {first}-{first + pick.randrange(4)}",
                            f"tcp dport {{ {first}, {first + 2} }}", f"tcp dport > {first + 5}"])

    def sources() -> str:
        return pick.choice(["", "", f"ip saddr {address} ", f"ip saddr != {address} ", "ip saddr 10.77.0.0/30 ",
                            "ip saddr @peers ", "ct state new ", "iifname \"eth0\" ",
                            "ip saddr . tcp dport { 10.77.0.1 . 5003, 10.77.0.9 . 5004 } "])

    def rule() -> str:
        return f"{sources()}{ports()} {pick.choice(['accept', 'accept', 'drop', 'reject with tcp reset', 'jump side', 'counter accept'])};"

    side = " ".join(f"{ports()} {pick.choice(['accept', 'drop', 'return'])};" for _ in range(2))
    return (f"table inet t {{ set peers {{ type ipv4_addr; elements = {{ 10.77.0.1, 10.77.0.3 }}; }}; "
            f"chain side {{ {side} }}; "
            f"chain first {{ type filter hook input priority -5; ct state established accept; {rule()} }}; "
            f"chain second {{ type filter hook input priority 0; policy {pick.choice(['accept', 'accept', 'drop'])}; "
            f"ct state established,related accept; {' '.join(rule() for _ in range(4))} }}; }}\n")


SERVE = """
import select, socket, sys
servers = [socket.create_server(("", port), backlog=64) for port in range(5000, 5012)]
print("up", flush=True)
while True:
    for server in select.select(servers, [], [])[0]:
        server.accept()[0].close()
"""
CONNECT = """
import socket, sys
for port in range(5000, 5012):
    patience = float(sys.argv[port - 5000 + 2])
    try:
        socket.create_connection((sys.argv[1], port), patience).close()
        print("open")
    except OSError as error:
        print("blocked")
"""


def test_static_verdicts_are_those_of_real_packets(tmp_path):
    with Hosts(parse_host_options(2, [])) as hosts:
        server = subprocess.Popen(["nsenter", "-t", str(hosts[1].pid), "-n", "python3", "-c", SERVE],
                                  stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout.readline() == "up\n"
            source = facts_of(hosts[0], tmp_path)
            seen = set()
            for seed in range(RULE_SETS):
                hosts[1].run(["nft", "flush", "ruleset"], check=True)
                rules = random_rules(seed, hosts[0].address) if seed > 0 else "table inet t\n"
                hosts[1].add_rules(rules)
                destination = facts_of(hosts[1], tmp_path)
                lines = asked("reach", source, destination, hosts[1].address, *range(5000, 5012)).splitlines()
                predicted = [line.split("\t")[0] for line in lines]
                patience = [str(PATIENCE_S if word == "open" else SILENCE_S / 4) for word in predicted]
                real = hosts[0].run(["python3", "-c", CONNECT, hosts[1].address, *patience], capture_output=True, text=True,
                                    check=True).stdout.split()
                assert predicted == real, f"seed {seed}: {rules}\n{lines}"
                seen |= set(real)
            assert seen == {"open", "blocked"}
        finally:
            server.kill()
            server.wait()
