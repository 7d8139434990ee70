"""Hosts are hosts: each has its own name, hosts file, shared memory, MTU and firewall, and a real
Gloo job runs across sixteen of them."""

import os
import subprocess
import sys

import pytest

from harness import rank_control
from harness.errors import LabError, RunTimeout
from harness.fault_spec import parse_fault
from harness.host_spec import default_hosts, parse_host_options
from harness.hosts import Hosts
from harness.job_run import JobRun
from harness.run_spec import RunSpec

CONNECT = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 2).close()"
SERVE = ("import socket; server = socket.create_server(('', 5000)); print('up', flush=True); "
         "peer, _ = server.accept(); data = peer.makefile('rb').read(); print(len(data))")


def said(host, *command: str) -> str:
    return host.run(list(command), capture_output=True, text=True).stdout.strip()


def test_every_host_is_its_own(tmp_path):
    (tmp_path / "hosts").write_text("127.0.0.1 localhost\n127.0.1.1 odd\n")
    (tmp_path / "rules").write_text(
        "table inet f {\n chain input { type filter hook input priority 0; policy accept;\n"
        " tcp dport 29500 reject with tcp reset;\n }\n}\n")
    specs = parse_host_options(3, [
        "1:name=odd,mtu=9000,shm=8m", f"1:hosts_file={tmp_path / 'hosts'}",
        f"2:rules={tmp_path / 'rules'}"])
    with Hosts(specs) as hosts:
        assert [said(host, "hostname") for host in hosts] == ["host0", "odd", "host2"]
        assert [said(host, "getent", "hosts", host.name).split()[0] for host in hosts] == \
            ["10.77.0.1", "127.0.1.1", "10.77.0.3"]
        assert [said(host, "cat", "/sys/class/net/eth0/mtu") for host in hosts] == \
            ["1500", "9000", "1500"]
        assert [said(host, "df", "--output=size", "-m", "/dev/shm").split()[-1] for host in hosts] == \
            ["64", "8", "64"]
        assert ["29500" in said(host, "nft", "list", "ruleset") for host in hosts] == \
            [False, False, True]
        assert "10.77" not in subprocess.run(["ip", "addr"], capture_output=True, text=True).stdout
        refusal = hosts[0].run([sys.executable, "-c", CONNECT, "10.77.0.3", "29500"],
                               capture_output=True, text=True)
        assert "ConnectionRefusedError" in refusal.stderr
    assert os.uname().nodename not in ("host0", "odd", "host2")


def test_link_smaller_than_the_host_believes_is_a_black_hole():
    """Connect and small writes pass, a write larger than the link's MTU never arrives."""
    specs = parse_host_options(2, ["0:mtu=9000,port_mtu=1500", "1:mtu=9000"])
    send = ("import socket, sys; s = socket.create_connection(('host1', 5000), 2); "
            "s.sendall(b'x' * int(sys.argv[1])); s.shutdown(socket.SHUT_WR); s.settimeout(2); s.recv(1)")
    with Hosts(specs) as hosts:
        for size, arrives in ((100, True), (100_000, False)):
            server = subprocess.Popen([
                "nsenter", "-t", str(hosts[1].pid), "-n", "-m", "-u", "--",
                sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True)
            assert server.stdout.readline() == "up\n"
            hosts[0].run([sys.executable, "-c", send, str(size)], capture_output=True)
            if not arrives:
                assert server.poll() is None, "the large write arrived"
                server.kill()
            else:
                assert server.stdout.readline() == f"{size}\n"
            server.wait()
            server.stdout.close()


def test_filling_shared_memory_hurts_one_host_only():
    with Hosts(parse_host_options(2, ["1:shm=4m"])) as hosts:
        assert rank_control.fill_shm(hosts[1]) == 4 << 20
        writes = [host.run(["sh", "-c", "head -c 1000 /dev/zero > /dev/shm/of_a_host"],
                           capture_output=True, text=True) for host in hosts]
        assert writes[0].returncode == 0
        assert "No space left" in writes[1].stderr
        assert not os.path.exists("/dev/shm/of_a_host"), "a host's shared memory is the machine's"


def test_sixteen_hosts_run_a_gloo_job(jobs):
    spec = RunSpec(jobs["torch_faults"], "env", ranks=16, hosts=16, steps=2, timeout_s=300)
    with JobRun(spec) as run:
        run.wait_ready()
        names = [said(run.host_of(rank), "hostname") for rank in range(16)]
        result = run.wait()
        assert result.status == 0
        assert names == [f"host{rank}" for rank in range(16)]
        assert len(set(result.params.values())) == 1 and len(result.params) == 16


@pytest.mark.parametrize("name, launcher, hosts", [
    ("mpi_ring", "mpirun", 3), ("horovod_torch", "horovodrun_gloo", 2)])
def test_launcher_reaches_other_hosts(jobs, name, launcher, hosts):
    """mpirun and horovodrun start their ranks on other hosts by a remote shell."""
    with JobRun(RunSpec(jobs[name], launcher, hosts=hosts, steps=2)) as run:
        result = run.wait()
        assert result.status == 0 and len(result.ranks) == hosts


def test_torchrun_on_two_hosts_loses_a_connection(jobs):
    """The connection between two hosts is reset in the middle of training: a rank fails and says
    so. Its peer may fail as well or wait for ever; Gloo does either."""
    spec = RunSpec(jobs["torch_ddp"], "torchrun", ranks=2, hosts=2, steps=100000, timeout_s=300,
                   faults=[parse_fault("drop:0-1@3")])
    with JobRun(spec) as run:
        assert 1 in run.wait_for_exit().values()
        assert run.faults.struck[0]["effect"] != "reset 0 connections"
        errors = [(run.folder / f"rank_{rank}.err").read_text().lower() for rank in (0, 1)]
        assert any("connection abort" in text or "connection reset" in text for text in errors), errors


def test_cut_hosts_fall_silent(star_job, tmp_path):
    """No reset, no error: the ranks wait for packets that never come."""
    with pytest.raises(RunTimeout, match="waiting for the job to end"):
        with JobRun(RunSpec(star_job, hosts=2, steps=10**7), tmp_path / "run") as run:
            run.wait_for(1, step=3)
            run.strike("cut:0-1")
            lost = run.hosts[1].run([sys.executable, "-c", CONNECT, "host0", "29500"],
                                    capture_output=True, text=True)
            assert "TimeoutError" in lost.stderr
            assert "TimeoutError" not in run.hosts[1].run(
                [sys.executable, "-c", CONNECT, "10.77.255.254", "1"],
                capture_output=True, text=True).stderr
            run.wait(timeout_s=1)
    assert "receive (star_job.py" in (tmp_path / "run/stacks/rank_1.txt").read_text()


def test_rules_that_do_not_parse_are_refused(tmp_path):
    (tmp_path / "rules").write_text("no such rule\n")
    with pytest.raises(LabError, match="host1: .*syntax error"):
        Hosts(parse_host_options(2, [f"1:rules={tmp_path / 'rules'}"]))


def test_sixty_four_hosts_come_up():
    with Hosts(default_hosts(64)) as hosts:
        assert said(hosts[63], "getent", "hosts", "host0").split()[0] == "10.77.0.1"
