"""Hosts made of namespaces that ssh reaches: sshd on all but the first, from which commands are given."""

import contextlib
import os
import subprocess
import time

from harness.host_spec import parse_host_options
from harness.hosts import Hosts
from network_hosts import PATIENCE_S

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
        f"PermitRootLogin prohibit-password\nPidFile none\nSubsystem sftp internal-sftp\n")
    (folder / "ssh_config").write_text(
        f"Host *\n IdentityFile {folder}/user_key\n UserKnownHostsFile {folder}/known_hosts\n StrictHostKeyChecking yes\n")
    (folder / "bin").mkdir()
    for program in ("ssh", "scp"):
        (folder / "bin" / program).write_text(f'#!/bin/sh\nexec /usr/bin/{program} -F {folder}/ssh_config "$@"\n')
        (folder / "bin" / program).chmod(0o755)


def wait_for_port(host, address: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    probe = ["python3", "-c", f"import socket; socket.create_connection(('{address}', 22), 1)"]
    while host.run(probe, capture_output=True).returncode != 0:
        assert time.monotonic() < deadline, f"sshd of {address} does not answer"


@contextlib.contextmanager
def ssh_hosts(folder):
    """The hosts, and the environment for commands on the first one."""
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
