"""A Slurm that keeps accounts, as most do: who may charge a job to whom, and how a job ended that Slurm has forgotten."""

import os
import signal

import pytest

from cluster_service import ClusterService
from harness import process_tree
from harness.errors import LabError
from service_client import wait_until
from slurmlab.accounting import ACCOUNT
from slurmlab.cluster import Cluster

PATIENCE_S = 240


@pytest.fixture(scope="module", autouse=True)
def nothing_left():
    """A cluster stays for several tests of this file; the last one goes with it."""
    yield
    left = [pid for pid in process_tree.descendants(os.getpid()) if process_tree.state_of(pid) not in ("", "Z")]
    assert not left, f"processes are left: {left}"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, request):
    with Cluster(tmp_path_factory.mktemp("cluster") / "slurm", nodes=2, remembers_s=2, has_accounts=request.param) as made:
        yield made


@pytest.fixture
def service(tmp_path, cluster):
    with ClusterService(tmp_path / "s", cluster, "--engine", "slurm") as made:
        yield made


def slurm_forgot_all(cluster):
    try:
        return not cluster.run(["squeue", "-h", "-t", "all"]).strip()
    except LabError:
        return True


def lose_sight_of(service, name):
    keeper = int((service.folder / "jobs" / name / "1/started").read_text())
    service.kill()
    os.kill(keeper, signal.SIGKILL)


@pytest.mark.parametrize("cluster", [True, False], ids=["with accounts", "without accounts"], indirect=True)
def test_how_a_forgotten_job_ended(service, cluster, tmp_path):
    """It was cancelled and forgotten while no service was there to see it: by its ranks alone one cannot know by whom."""
    command = ["/bin/sh", "-c", f"touch {tmp_path}/began-$RANK; sleep 600"]
    request = {"command": command, "workers": 2, "nodes": 2} | ({"account": ACCOUNT} if cluster.has_accounts else {})
    name = service.post(request)[1]["id"]
    wait_until(lambda: len(list(tmp_path.glob("began-*"))) == 2, "the ranks run", PATIENCE_S)
    lose_sight_of(service, name)
    number = (service.folder / "jobs" / name / "1/slurm.id").read_text()
    cluster.run(["scancel", number])
    wait_until(lambda: slurm_forgot_all(cluster), "Slurm has forgotten the job", PATIENCE_S)
    service.start()
    done = service.wait_for(name, limit_s=PATIENCE_S)
    told = dict(service.events(name))
    assert (done["state"], done["attempts"]) == ("FAILED", 1), service.events(name)
    if cluster.has_accounts:
        assert done["reason"] == "cancelled in Slurm by somebody else", service.events(name)
        assert "its accounts (sacct) say CANCELLED" in told["accounted"]
        assert cluster.run(["sacct", "-n", "-X", "-P", "-o", "Account", "-j", number]).strip() == ACCOUNT
    else:
        assert "do not tell how it ended: Slurm accounting storage is disabled" in told["forgotten"]


@pytest.mark.parametrize("cluster", [True], ids=["with accounts"], indirect=True)
def test_a_wrong_account_is_refused_at_once(service):
    status, problem = service.post({"command": ["true"], "workers": 1, "account": "nobody"})
    assert status == 422 and problem["errors"][0]["pointer"] == "/account", problem
    assert "Invalid account" in problem["errors"][0]["detail"], problem
