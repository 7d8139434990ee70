"""Probes with real packets on hosts made of namespaces: what they find is what rules and routes predict, and what those cannot know."""

import json
import pathlib
import shutil
import subprocess

import jsonschema
import pytest

from harness import namespaces
from harness.host_spec import parse_host_options
from harness.hosts import Hosts
from network_hosts import LOCKSTEP, PATIENCE_S, facts_of
from probe_hosts import probe, start_on
from ssh_hosts import ssh_hosts

SCHEMA = json.loads((pathlib.Path(__file__).parents[2] / "catalogue/schema/lockstep-findings-v1.json").read_text())
COUNT = 4
NAMES = [f"host{index}" for index in range(COUNT)]
MPIRUN = ["mpirun", "-np", str(COUNT), "--host", ",".join(NAMES), "./train"]
INPUT = "table inet f {{ chain input {{ type filter hook input priority 0; ct state established accept; {} }}; }}\n"


@pytest.fixture
def hosts():
    with Hosts(parse_host_options(COUNT, [f"{index}:mtu=9000" for index in range(COUNT)])) as made:
        yield made


def rules_in_router(hosts, rules: str):
    done = subprocess.run(["nft", "-f", "-"], input=rules, text=True, preexec_fn=lambda: namespaces.enter(hosts.router_pid))
    assert done.returncode == 0


def agrees(done) -> bool:
    told = done.told
    return told["contradicting"] == 0 and told["without_prediction"] == 0 and told["as_predicted"] == told["tried"] > 0


def test_open_hosts_are_silent_and_nothing_stays_behind(hosts):
    done = probe(hosts, MPIRUN, "--probe-matrix")
    assert agrees(done) and done.told["not_open"] == 0 and not {code for code in done.codes if "probe" in code}, done.document
    assert done.told["hosts"] == COUNT and done.told["tried"] >= COUNT * (COUNT - 1)
    assert {(pair["from"], pair["to"]) for pair in done.told["pairs"]} == {(a, b) for a in NAMES for b in NAMES if a != b}
    assert all(pair["latency_us"] > 0 and pair["megabytes_per_s"] > 0 for pair in done.told["pairs"])
    assert done.agents == [0] * COUNT
    jsonschema.validate(done.document, SCHEMA)
    assert hosts[1].run(["ss", "-Htln"], capture_output=True, text=True, check=True).stdout == ""


def test_what_rules_block_one_way_packets_find_blocked(hosts):
    hosts[1].add_rules(INPUT.format(f"ip saddr {hosts[2].address} tcp dport 1024-60999 drop; "
                                    f"ip saddr {hosts[3].address} tcp dport 1024-1200 reject with tcp reset;"))
    done = probe(hosts, MPIRUN)
    assert done.status == 1 and agrees(done), done.told
    assert {("host2", "host1", "silent"), ("host3", "host1", "refused")} == done.failures()
    assert all(one["attempts"] == 2 for one in done.told["failures"])
    jsonschema.validate(done.document, SCHEMA)
    mpi = next(finding for finding in done.document["findings"] if finding["code"] == "setup.mpi_tcp")
    assert "Real packets: 2 of 2 such connections are blocked indeed" in mpi["explanation"]


def test_closed_ephemeral_ports_are_seen_where_the_stores_port_is_open(hosts):
    for host in hosts:
        host.add_rules(INPUT.format("tcp dport 32768-60999 drop;"))
    done = probe(hosts, ["torchrun", "--nnodes", str(COUNT), "--nproc-per-node", "1", "--master-addr", "host0", "train.py"])
    assert done.status == 1 and agrees(done), done.told
    assert {one["port"] >= 32768 for one in done.told["failures"]} == {True}
    assert done.told["open"] == COUNT - 1  # to the store


def test_what_stands_between_the_hosts_is_a_finding_of_its_own(hosts):
    rules_in_router(hosts, f"table ip f {{ chain forward {{ type filter hook forward priority 0; ip saddr {hosts[0].address} "
                           f"ip daddr {hosts[3].address} tcp flags syn / syn,ack drop; }}; }}\n")
    done = probe(hosts, MPIRUN)
    assert "check.probe_blocked" in done.codes and done.told["contradicting"] > 0, done.document
    assert {("host0", "host3", "silent")} == done.failures()


def test_old_facts_are_contradicted(hosts, tmp_path):
    hosts[1].add_rules(INPUT.format("tcp dport 1024-1200 drop;"))
    for host in hosts:
        facts_of(host, tmp_path)
    hosts[1].run(["nft", "flush", "ruleset"], check=True)
    done = probe(hosts, MPIRUN, "--facts", tmp_path)
    assert done.told["not_open"] == 0 and "check.probe_open" in done.codes, done.document
    mpi = next(finding for finding in done.document["findings"] if finding["code"] == "setup.mpi_tcp")
    assert mpi["confidence"] < 0.5


def test_a_link_that_loses_large_packets_is_told_from_a_closed_one():
    """Links of 1500 between hosts of 9000, and nobody says so: small packets pass, large ones vanish."""
    with Hosts(parse_host_options(3, ["0:mtu=9000", "1:mtu=9000,port_mtu=1500", "2:mtu=1500"])) as hosts:
        rules_in_router(hosts, "table inet f { chain o { type filter hook output priority 0; meta l4proto { icmp, icmpv6 } drop; }; }\n")
        done = probe(hosts, ["mpirun", "-np", "3", "--host", "host0,host1,host2", "./train"])
    assert "check.path_mtu" in done.codes, done.document
    lost = {(a, b, end) for a, b, end in done.failures()}
    assert ("host0", "host1", "large_lost") in lost and not {one for one in lost if one[2] == "silent"}
    assert not {one for one in lost if {"host0", "host2"} == set(one[:2])}


def test_a_host_without_an_agent_is_named_and_the_rest_is_tried(hosts):
    done = probe(hosts, MPIRUN, "--wait", "3", on=list(hosts)[:3])
    assert any("facts of 3 of 4 hosts" in limit or "host3" in limit for limit in done.document["limits"]), done.document["limits"]
    assert done.told["hosts"] == 3 and done.told["tried"] >= 6


def test_an_agent_ends_with_the_check_and_refuses_another_token(hosts):
    check = start_on(hosts.router_pid, [LOCKSTEP, "check", "--probe", "--via", "hand", "--host", "host0,host1", "--listen", "10.77.255.254:7070",
                                        "--", *MPIRUN], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        token = [check.stderr.readline() for _ in range(2)][1].split("LOCKSTEP_TOKEN=")[1].split()[0]
        agent = [LOCKSTEP, "probe-agent", "10.77.255.254:7070"]
        stranger = hosts[0].run(agent, env={"LOCKSTEP_TOKEN": "0" * 64}, capture_output=True, text=True, timeout=PATIENCE_S)
        assert stranger.returncode == 2 and "the probe did not begin" in stranger.stderr
        noise = hosts[0].run(["python3", "-c", "import socket; s = socket.create_connection(('10.77.255.254', 7070)); "
                                               "s.sendall(bytes(range(256)) * 999); print(s.recv(99))"], capture_output=True, text=True)
        assert noise.returncode != 0 or noise.stdout == "b''\n"
        friend = start_on(hosts[0].pid, agent, env={"LOCKSTEP_TOKEN": token})
    finally:
        check.kill()
        check.wait()
    assert friend.wait(timeout=PATIENCE_S) in (0, 2)


@pytest.mark.parametrize("via", ["ssh", "mpirun"])
def test_agents_start_through_a_launcher_and_end_with_the_check(tmp_path, via):
    with ssh_hosts(tmp_path / "ssh") as (made, environment):
        done = made[0].run([LOCKSTEP, "check", "--json", "--probe", "--host", "host1,host2", "--via", via, "--program", LOCKSTEP,
                            "--", "torchrun", "--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "host1", "train.py"],
                           env=environment, capture_output=True, text=True, timeout=PATIENCE_S * 3)
        told = json.loads(done.stdout)["probe"]
        assert told["hosts"] == 2 and told["as_predicted"] == told["tried"] == told["open"] > 0, done.stderr
        running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        assert f"{LOCKSTEP} probe-agent" not in running


def test_an_agent_that_was_copied_removes_itself(tmp_path):
    copy = shutil.copy(LOCKSTEP, tmp_path / "copy")
    done = subprocess.run([copy, "probe-agent", "--remove-itself"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 2 and "no token" in done.stderr and not (tmp_path / "copy").exists()


def test_a_host_that_cannot_be_reached_is_named(tmp_path):
    with ssh_hosts(tmp_path / "ssh") as (made, environment):
        done = made[0].run([LOCKSTEP, "check", "--json", "--probe", "--host", "host0,host1,host2", "--program", LOCKSTEP, "--", *MPIRUN],
                           env=environment, capture_output=True, text=True, timeout=PATIENCE_S * 3)
    assert "no agent on host0" in done.stderr  # it has no sshd
    assert json.loads(done.stdout)["probe"]["hosts"] == 2
