"""Facts collected from other hosts for real: sshd on hosts made of namespaces, ssh and Open MPI's mpirun to reach them, the
folder given to check. Slurm is not among the packages: srun's words are a unit test's, as kubectl's are."""

import json
import os
import subprocess
import time

import pytest

from harness.host_spec import parse_host_options
from harness.hosts import Hosts
from network_hosts import LOCKSTEP, PATIENCE_S

COUNT = 3


def make_key(file):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)


def settings_of(folder) -> None:
    """Keys and settings of both sides, and an ssh in front of the real one that is told of them."""
    os.makedirs("/run/sshd", exist_ok=True)
    make_key(folder / "host_key")
    make_key(folder / "user_key")
    public = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text("".join(f"host{index} {public}" for index in range(COUNT)))
    (folder / "sshd_config").write_text(
        f"HostKey {folder}/host_key\nAuthorizedKeysFile {folder}/user_key.pub\nStrictModes no\nUsePAM no\n"
        f"PermitRootLogin prohibit-password\nPidFile none\n")
    (folder / "ssh_config").write_text(
        f"Host *\n IdentityFile {folder}/user_key\n UserKnownHostsFile {folder}/known_hosts\n StrictHostKeyChecking yes\n")
    (folder / "bin").mkdir()
    (folder / "bin/ssh").write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {folder}/ssh_config "$@"\n')
    (folder / "bin/ssh").chmod(0o755)


def wait_for_port(host, address: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    probe = ["python3", "-c", f"import socket; socket.create_connection(('{address}', 22), 1)"]
    while host.run(probe, capture_output=True).returncode != 0:
        assert time.monotonic() < deadline, f"sshd of {address} does not answer"


@pytest.fixture
def hosts(tmp_path):
    folder = tmp_path / "ssh"
    folder.mkdir()
    settings_of(folder)
    with Hosts(parse_host_options(COUNT, [])) as made:
        servers = [subprocess.Popen(["nsenter", "-t", str(host.pid), "-n", "-u", "-m", "/usr/sbin/sshd", "-D", "-e", "-f",
                                     folder / "sshd_config"], stderr=subprocess.DEVNULL) for host in made[1:]]
        try:
            for host in made[1:]:
                wait_for_port(made[0], host.address)
            environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
            yield made, environment
        finally:
            for server in servers:
                server.kill()
                server.wait()


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
