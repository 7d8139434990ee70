"""`lockstep run` on two hosts of one torchrun job, two ranks on each: the first host judges the ranks of both."""

import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

import pytest

from harness import namespaces
from harness.host_spec import default_hosts
from harness.hosts import Hosts
from recordings import LOCKSTEP, python_with_native_half

JOB = pathlib.Path(__file__).parent / "run_jobs/ddp_with_fault.py"  # rank 2, on host 1, is the faulty one
LIMIT_S = 300
TOKEN = "the-token-of-both-hosts"


@pytest.fixture(scope="module")
def torchrun():
    python = python_with_native_half()
    return str(python.with_name("torchrun"))


@pytest.fixture
def hosts():
    with Hosts(default_hosts(2)) as made:
        yield made


class Part:
    """The job's part on one host, with what it says read as it comes."""

    def __init__(self, host, command, token):
        environ = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "eth0", "LOCKSTEP_TOKEN": token}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ,
                                        preexec_fn=lambda: namespaces.enter(host.pid))
        self.out, self.err = [], []
        self._readers = [threading.Thread(target=self._read, args=pair) for pair in
                         ((self.process.stdout, self.out), (self.process.stderr, self.err))]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.append((time.time(), line.rstrip("\n")))

    def text(self):
        return "\n".join(line for _, line in [*self.out, *self.err])

    def said(self):
        return [line for _, line in self.err if line.startswith("lockstep")]

    def wait_for(self, pattern):
        """The time when a line came that has the pattern."""
        limit = time.time() + LIMIT_S
        while time.time() < limit:
            for when, line in [*self.out, *self.err]:
                if re.search(pattern, line):
                    return when
            assert self.process.poll() is None or any(reader.is_alive() for reader in self._readers), self.text()
            time.sleep(0.05)
        raise AssertionError(f"{pattern} was not said:\n{self.text()}")

    def end(self):
        try:
            status = self.process.wait(LIMIT_S)
        finally:
            self.process.kill()
        for reader in self._readers:
            reader.join()
        return status


class Job:
    def __init__(self, hosts, torchrun, fault, folder, flags=("--on-hang=kill",), tokens=(TOKEN, TOKEN), watched=True):
        folder.mkdir(exist_ok=True)
        self.recordings = [folder / "rec", folder / "rec-1"]
        self.parts = []
        for node, token in enumerate(tokens):
            command = [torchrun, "--nnodes", "2", "--node-rank", str(node), "--nproc-per-node", "2",
                       "--master-addr", hosts[0].address, "--master-port", "29500", JOB, fault]
            if watched:
                command = [LOCKSTEP, "run", "-o", folder / "rec", *flags, "--", *command]
            self.parts.append(Part(hosts[node], command, token))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for part in self.parts:
            if part.process.poll() is None:
                part.process.terminate()
        for part in self.parts:
            part.end()

    def end(self):
        return [part.end() for part in self.parts]

    def findings(self, node):
        return json.loads((self.recordings[node] / "findings.json").read_text())["findings"]


def losses_of(job):
    return sorted(line for part in job.parts for _, line in part.out if re.match(r"rank \d loss", line))


def test_a_healthy_job_is_as_without_it(hosts, torchrun, tmp_path):
    with Job(hosts, torchrun, "none", tmp_path / "plain", watched=False) as plain:
        assert plain.end() == [0, 0]
    with Job(hosts, torchrun, "none", tmp_path / "watched") as job:
        assert job.end() == [0, 0], [part.text() for part in job.parts]
    assert len(losses_of(plain)) == 4 and losses_of(job) == losses_of(plain)
    head, satellite = (part.said() for part in job.parts)
    assert len(head) == 2 and "recording to" in head[0] and re.search(r"nothing wrong found; 4 ranks of 2 watchers \(pytorch", head[1]), head
    assert len(satellite) == 2 and re.search(r"nothing wrong found; 2 ranks .*; host0 has those of all hosts", satellite[1]), satellite
    copied = (job.recordings[0] / "rank_00003.restart_0.lockstep")
    calls = [subprocess.run([LOCKSTEP, "dump", "--json", path], capture_output=True, text=True, check=True).stdout.count('"call"')
             for path in (copied, job.recordings[1] / copied.name)]
    assert calls[0] == calls[1] > 50, "the head's copy has every call"


@pytest.mark.parametrize("fault, code", [("stop", "desync.stopped_rank"), ("shape", "mismatch.shape")])
def test_the_head_names_the_rank_of_another_host(hosts, torchrun, tmp_path, fault, code):
    with Job(hosts, torchrun, fault, tmp_path / "job") as job:
        head, satellite = job.parts
        said = head.wait_for(rf"^lockstep: \S+ s: .*\({code}\)$")
        told = satellite.wait_for(rf"^lockstep: \S+ s: host0 says: .*\({code}\)$")
        made = satellite.wait_for(r"^fault \S+$")
        print(f"{fault}: head after {said - made:.2f} s, satellite after {told - made:.2f} s")
        statuses = job.end()
    assert 0 not in statuses
    for node in (0, 1):
        first = job.findings(node)[0]
        assert first["code"] == code and first["root_ranks"] == [2], job.parts[node].text()
    summary = json.loads((job.recordings[0] / "findings.json").read_text())["job"]
    assert summary["ranks_seen"] == [0, 1, 2, 3] and summary["hosts"] == 2


def test_a_wrong_token_is_said_and_the_job_goes_on(hosts, torchrun, tmp_path):
    with Job(hosts, torchrun, "none", tmp_path / "job", tokens=("the-token-of-host0", "the-token-of-host1")) as job:
        assert job.end() == [0, 0], [part.text() for part in job.parts]
    head, satellite = (" ".join(part.said()) for part in job.parts)
    assert "the watcher at 10.77.0.2 was refused: it has another token" in head
    assert "has another token and refused this host" in satellite
    for part in job.parts:
        assert len([line for line in part.said() if "another token" in line]) == 1, "it is said once"
        assert "nothing wrong found; 2 ranks" in part.said()[-1]


def test_a_lost_watcher_is_said(hosts, torchrun, tmp_path):
    """Killed, it takes its part of the job with it, as it promises; the other part ends by itself."""
    with Job(hosts, torchrun, "hang", tmp_path / "job", flags=()) as job:
        head, satellite = job.parts
        satellite.wait_for(r"^fault \S+$")
        limit = time.time() + LIMIT_S
        while not (job.recordings[0] / "rank_00002.restart_0.lockstep").exists():
            assert time.time() < limit, head.text()
            time.sleep(0.1)
        satellite.process.send_signal(signal.SIGKILL)
        head.wait_for(r"^lockstep: \S+ s: the watcher of host1 is lost: ")
        assert head.end() != 0
    assert any("host1 was lost" in limit for limit in
               json.loads((job.recordings[0] / "findings.json").read_text())["limits"]), head.text()
