"""Facts and probes of the nodes of a real Slurm, reached by srun from the host that people log in to."""

import json
import os
import re
import subprocess

import pytest

from network_hosts import LOCKSTEP, PATIENCE_S
from slurmlab.cluster import Cluster

TORCHRUN = ["torchrun", "--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "n1", "train.py"]
CLOSED = ("table inet f { chain input { type filter hook input priority 0; ct state established accept; "
          "ip saddr 10.77.0.3 tcp dport 29500 drop; }; }\n")


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path / "slurm", nodes=2) as made:
        yield made


def from_login(cluster, *words) -> subprocess.CompletedProcess:
    started = cluster.popen([LOCKSTEP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = started.communicate(timeout=PATIENCE_S * 4)
    return subprocess.CompletedProcess(started.args, started.returncode, out, err)


def left_behind() -> list[str]:
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    copies = [name for name in os.listdir("/tmp") if re.match("lockstep-[0-9a-f]{32,}", name)]
    return copies + [line for line in running.splitlines() if "probe-agent" in line]


@pytest.mark.parametrize("how", [("--program", LOCKSTEP), ("--send",)], ids=["there", "sent"])
def test_facts_of_nodes(cluster, tmp_path, how):
    done = from_login(cluster, "facts", "--host", "n1,n2", "--via", "srun", "-o", tmp_path / "facts", *how)
    assert done.returncode == 0, done.stderr
    for index in (1, 2):
        said = json.loads((tmp_path / "facts" / f"n{index}.json").read_text())
        eth0 = next(item for item in said["interfaces"] if item["name"] == "eth0")
        assert said["host"] == f"n{index}" and eth0["addresses"][0]["address"].startswith(f"10.77.0.{index + 1}/")
        assert abs(said["clock"]["offset_ns"]) <= said["clock"]["offset_uncertainty_ns"] + 10**9
    assert left_behind() == []


def test_agents_are_steps_of_slurm_and_end_with_the_check(cluster):
    probe = ["check", "--json", "--probe", "--host", "n1,n2", "--via", "srun", "--program", LOCKSTEP, "--", *TORCHRUN]
    told = json.loads(from_login(cluster, *probe).stdout)["probe"]
    assert told["hosts"] == 2 and told["as_predicted"] == told["tried"] == told["open"] > 0
    cluster.by_name["n1"].add_rules(CLOSED)
    try:
        done = json.loads(from_login(cluster, *probe).stdout)
    finally:
        cluster.by_name["n1"].run(["nft", "flush", "ruleset"], check=True)
    assert {(one["from"], one["to"], one["port"]) for one in done["probe"]["failures"]} == {("n2", "n1", 29500)}, done["probe"]
    assert done["probe"]["contradicting"] == 0 and left_behind() == []
    assert cluster.run(["squeue", "-h"]) == ""
