"""Facts collected from other hosts for real: sshd on hosts made of namespaces, ssh and Open MPI's mpirun to reach them, the
folder given to check. Slurm and Kubernetes have tests of their own."""

import json
import os
import pathlib
import re
import subprocess

import pytest

from network_hosts import LOCKSTEP, PATIENCE_S
from ssh_hosts import ssh_hosts


@pytest.fixture
def hosts(tmp_path):
    with ssh_hosts(tmp_path / "ssh") as made:
        yield made


def collect(hosts, folder, names: str, *flags: str) -> subprocess.CompletedProcess:
    made, environment = hosts
    return made[0].run([str(LOCKSTEP), "facts", "--host", names, "--program", str(LOCKSTEP), "-o", str(folder), *flags],
                       env=environment, capture_output=True, text=True, timeout=PATIENCE_S * 3)


@pytest.mark.parametrize("via", ["ssh", "mpirun"])
def test_facts_of_other_hosts(hosts, tmp_path, via):
    done = collect(hosts, tmp_path / "facts", "host1,host2", "--via", via)
    assert done.returncode == 0, done.stderr
    for index in (1, 2):
        said = json.loads((tmp_path / "facts" / f"host{index}.json").read_text())
        assert said["host"] == f"host{index}"
        eth0 = next(item for item in said["interfaces"] if item["name"] == "eth0")
        assert eth0["addresses"][0]["address"].startswith(f"10.77.0.{index + 1}/")
        assert {"host1", "host2"} <= {item["name"] for item in said["names"]}
        assert abs(said["clock"]["offset_ns"]) <= said["clock"]["offset_uncertainty_ns"] + 10**9


def test_a_host_that_does_not_answer_is_named_and_the_others_are_kept(hosts, tmp_path):
    done = collect(hosts, tmp_path / "facts", "host0,host1")  # host0 has no sshd
    assert done.returncode == 2
    assert "cannot collect facts: host0" in done.stderr and "by hand" in done.stderr
    assert [file.name for file in (tmp_path / "facts").iterdir()] == ["host1.json"]


def test_check_decides_from_the_folder(hosts, tmp_path):
    made, environment = hosts
    made[2].add_rules("table inet f { chain input { type filter hook input priority 0; ct state established accept; "
                      "tcp dport 29500 drop; }; }\n")
    try:
        assert collect(hosts, tmp_path / "facts", "host1,host2", "--name", "host2").returncode == 0
        done = subprocess.run([LOCKSTEP, "check", "--facts", tmp_path / "facts", "--", "torchrun", "--nnodes", "2", "--nproc-per-node", "1",
                               "--master-addr", "host2", "train.py"], capture_output=True, text=True)
    finally:
        made[2].run(["nft", "flush", "ruleset"], check=True)
    assert done.returncode == 1
    assert "1 of 1 connections that the rendezvous store needs are blocked" in done.stdout
    assert "tcp dport 29500 drop" in done.stdout and "10.77.0.2" in done.stdout


def copies() -> set:
    return {name for name in os.listdir("/tmp") if re.fullmatch("lockstep-[0-9a-f]{32,}-[0-9]+", name)}


def test_a_program_that_is_sent_leaves_nothing_and_follows_nothing(hosts, tmp_path):
    before = copies()
    trap = pathlib.Path("/tmp/lockstep-facts")
    kept = tmp_path / "kept"
    kept.write_text("mine")
    trap.symlink_to(kept)
    try:
        done = collect(hosts, tmp_path / "facts", "host1,host2", "--send")
    finally:
        trap.unlink()
    assert done.returncode == 0, done.stderr
    assert sorted(file.name for file in (tmp_path / "facts").iterdir()) == ["host1.json", "host2.json"]
    assert kept.read_text() == "mine" and copies() == before
