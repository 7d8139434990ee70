"""Jobs through a real Slurm of several nodes: a script and a worker count are enough there too."""

import os
import re
import signal

import pytest

from cluster_service import ClusterService
from harness.registry import python_of
from service_client import JOBS, pids_with, wait_until
from slurmlab.cluster import Cluster

EVERY_FRAMEWORK = ["torch_ddp", "horovod_torch", "tf_custom_loop", "keras_fit"]
FRAMEWORKS = EVERY_FRAMEWORK if os.environ.get("LOCKSTEP_FRAMEWORKS") == "all" else ["torch_ddp"]
NODES = 4 if os.environ.get("LOCKSTEP_FRAMEWORKS") == "all" else 2
NODES_BEFORE_ONE_DIES = max(NODES, 3)
PATIENCE_S = 240


@pytest.fixture
def cluster(tmp_path, request):
    """So many nodes. The names of some of them, n2 at least, lead to their own loopback addresses there, as Debian's installer
    leaves it."""
    nodes, *looped = getattr(request, "param", (2, "n2"))
    hosts_files = {name: f"127.0.0.1 localhost\n127.0.1.1 {name}\n" for name in looped}
    with Cluster(tmp_path / "slurm", nodes=nodes, cpus=2, gpus=2, hosts_files=hosts_files) as made:
        yield made


@pytest.fixture
def service(tmp_path, cluster):
    with ClusterService(tmp_path / "s", cluster, "--engine", "slurm") as made:
        yield made


@pytest.mark.parametrize("cluster", [(NODES, "n2")], indirect=True)
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_meets_over_several_nodes(jobs, name, service):
    """Though the name of the second one leads to its loopback address."""
    job = jobs[name]
    request = {"script": str(job.script), "python": str(python_of(job.env)), "workers": NODES, "nodes": NODES,
               "environment": dict(job.environ), "gpus_per_worker": 0}
    posted = service.post(request)[1]
    done = service.wait_for(posted["id"], limit_s=PATIENCE_S)
    said = service.log(posted["id"])
    assert done["state"] == "SUCCEEDED", (done["reason"], service.events(posted["id"]), said[-20:])
    assert done["engine"] == "slurm" and done["last_attempt"]["node_names"] == [f"n{node + 1}" for node in range(NODES)]
    params = {match[1]: match[2] for line in said if (match := re.search(r"lab rank=(\d+) done params=(\S+)", line))}
    assert len(params) == NODES and len(set(params.values())) == 1


@pytest.mark.parametrize("cluster", [(3, "n2", "n3")], indirect=True)
def test_names_that_lead_to_loopback(jobs, service):
    """Where the user's own variables keep the service from naming an interface, Gloo takes the host's name: so the job fails as it
    is, since the second node and the third do not find each other, and what `check --fix` would change is changed."""
    request = {"script": str(JOBS / "torch_meeting.py"), "args": ["env://"], "python": str(python_of(jobs["torch_ddp"].env)),
               "workers": 3, "nodes": 3, "gpus_per_worker": 0, "environment": {"GLOO_SOCKET_IFNAME": "", "MEETING_S": "10"}}
    done = [service.wait_for(service.post(request | more)[1]["id"], limit_s=PATIENCE_S) for more in ({"repairs": 0}, {})]
    assert [(one["state"], one["attempts"]) for one in done] == [("FAILED", 1), ("SUCCEEDED", 2)], [service.events(one["id"]) for one in done]
    why = dict(service.events(done[1]["id"]))["failed, to be retried"]
    assert re.search(r"changed GLOO_SOCKET_IFNAME from nothing to eth0 on n[23]\b.* because of", why), why


def test_what_slurm_would_let_wait_for_ever_is_refused(service):
    for request, pointer in [({"workers": 3, "nodes": 3}, "/nodes"), ({"workers": 64}, "/workers"),
                             ({"workers": 1, "gpus_per_worker": 4}, "/gpus_per_worker"),
                             ({"workers": 1, "partition": "none"}, "/partition"),
                             ({"workers": 1, "partition": "short", "time_limit_s": 7200}, "/time_limit_s")]:
        status, problem = service.post({"command": ["true"]} | request)
        assert (status, problem["errors"][0]["pointer"]) == (422, pointer), problem


def test_what_a_job_asks_for_is_what_slurm_is_asked_for(service, cluster):
    """A partition, a time limit of Slurm's a little beyond our own, GPUs, cores and memory of each node."""
    request = {"command": ["sleep", "600"], "workers": 2, "nodes": 1, "partition": "short", "time_limit_s": 90, "gpus_per_worker": 1,
               "cpus_per_worker": 1, "memory_per_worker": 256 << 20}
    name = service.post(request)[1]["id"]
    wait_until(lambda: "running" in dict(service.events(name)), "it runs", PATIENCE_S)
    number = (service.folder / "jobs" / name / "1/slurm.id").read_text()
    told = dict(word.split("=", 1) for word in cluster.run(["scontrol", "show", "job", number]).split() if "=" in word)
    wanted = {"Partition": "short", "TimeLimit": "00:03:00", "NumNodes": "1", "TresPerNode": "gres:gpu:2", "CPUs/Task": "2",
              "MinMemoryNode": "512M", "Requeue": "0", "NodeList": "n1"}
    assert {field: told.get(field) for field in wanted} == wanted


def test_a_time_limit_ends_the_job_on_every_node(service):
    name = service.post({"command": ["sleep", "600"], "workers": 2, "nodes": 2, "time_limit_s": 2})[1]["id"]
    done = service.wait_for(name, limit_s=PATIENCE_S)
    assert (done["state"], done["attempts"], done["reason"]) == ("FAILED", 1, "ended at its time limit of 2 s"), service.events(name)
    assert "not retried: it was at its time limit" in service.events(name)[-1][1]


def test_the_rank_that_failed_first_is_named(service):
    """Slurm itself would say 143, of a rank that it killed."""
    command = ["/bin/sh", "-c", "echo $RANK on $(hostname) : $CUDA_VISIBLE_DEVICES; test $RANK = 3 && exit 7; sleep 600"]
    name = service.post({"command": command, "workers": 4, "nodes": 2})[1]["id"]
    done = service.wait_for(name, limit_s=PATIENCE_S)
    assert (done["state"], done["reason"]) == ("FAILED", "rank 3 ended with status 7"), service.events(name)
    assert done["last_attempt"]["exit_status"] == 7
    assert sorted(service.log(name)) == [f"[{rank}] {rank} on n{rank // 2 + 1} : 0,1" for rank in range(4)]
    kinds = [kind for kind, _ in service.events(name)]
    assert [kind for kind in kinds if kind != "waiting"] == ["queued", "started", "handed in", "running", "failed"]


def test_cancel_reaches_every_node(service, cluster):
    mark = f"lockstep-slurm-test-{os.getpid()}"
    name = service.post({"command": ["/bin/sh", "-c", f"sleep 600 # {mark}"], "workers": 2, "nodes": 2})[1]["id"]
    wait_until(lambda: len(pids_with(mark)) >= 2, "the ranks run", PATIENCE_S)
    service.request("POST", f"/v1/jobs/{name}/cancel")
    assert service.wait_for(name, limit_s=PATIENCE_S)["state"] == "CANCELLED"
    assert not pids_with(mark)
    wait_until(lambda: not cluster.run(["squeue", "-h", "-t", "pending,running"]).strip(), "Slurm has no job", PATIENCE_S)


def test_a_job_is_found_again(service, cluster, tmp_path):
    """Whether the service was killed or its keeper too: Slurm runs on."""
    gate = tmp_path / "gate"
    name = service.post({"command": ["/bin/sh", "-c", f"until test -e {gate}; do sleep 0.1; done; echo rank $RANK"], "workers": 2,
                         "nodes": 2})[1]["id"]
    wait_until(lambda: ("running" in dict(service.events(name))), "it runs", PATIENCE_S)
    keeper = int((service.folder / "jobs" / name / "1/started").read_text())
    service.kill()
    os.kill(keeper, signal.SIGKILL)
    service.start()
    wait_until(lambda: "found again" in dict(service.events(name)), "it is found", PATIENCE_S)
    gate.touch()
    done = service.wait_for(name, limit_s=PATIENCE_S)
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 1), service.events(name)
    assert sorted(service.log(name)) == ["[0] rank 0", "[1] rank 1"]


def what_was_found(service, name):
    """In the first attempt: which collective, who held it up, who waited."""
    found = service.get(f"/v1/jobs/{name}/findings")[1]["diagnoses"][0]["findings"]["findings"][0]
    return {field: found[field] for field in ("leaf", "code", "scope", "root_ranks", "victim_ranks")}


@pytest.mark.parametrize("cluster", [(3, "n2")], indirect=True)
def test_a_hang_is_diagnosed_and_retried_on_other_nodes(service, jobs):
    """The verdict is that of the same hang on one machine, and the node of the rank that began it is left out."""
    request = {"script": str(JOBS / "torch_meeting.py"), "args": ["env://", "one_stops"], "gpus_per_worker": 0,
               "python": str(python_of(jobs["torch_ddp"].env)), "cpus_per_worker": 1}
    alone = service.post(request | {"workers": 2, "engine": "local"})[1]["id"]
    spread = service.post(request | {"workers": 2, "nodes": 2})[1]["id"]
    done = service.wait_for(spread, limit_s=PATIENCE_S)
    events = service.events(spread)
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 2), (done["reason"], events, service.log(spread)[-20:])
    first, second = service.get(f"/v1/jobs/{spread}/attempts")[1]["attempts"]
    assert first["node_names"] == ["n1", "n2"] and second["node_names"] == ["n1", "n3"], events
    assert any(kind == "failed, to be retried" and "hang: once more without n2" in detail for kind, detail in events), events
    assert service.wait_for(alone, limit_s=PATIENCE_S)["attempts"] == 2
    assert what_was_found(service, spread)["root_ranks"] == [1]
    assert what_was_found(service, spread) == what_was_found(service, alone)


@pytest.mark.parametrize("fault", ["kill:1@4", "shape:1@4"])
def test_what_is_found_over_several_nodes_is_what_is_found_on_one(service, jobs, fault):
    """Of a rank that is killed while it trains, and of one that calls with another shape."""
    job = jobs["torch_faults"]
    request = {"script": str(job.script), "python": str(python_of(job.env)), "workers": 2, "cpus_per_worker": 1, "gpus_per_worker": 0,
               "environment": {"LAB_FAULT": fault}, "repairs": 0}
    names = [service.post(request | where)[1]["id"] for where in ({"engine": "local"}, {"nodes": 2})]
    for name in names:
        done = service.wait_for(name, limit_s=PATIENCE_S)
        assert (done["state"], done["attempts"]) == ("FAILED", 1), service.events(name)
    alone, spread = [what_was_found(service, name) for name in names]
    assert spread == alone and spread["root_ranks"] == [1], (alone, spread)


@pytest.mark.parametrize("cluster", [(NODES_BEFORE_ONE_DIES, "n2")], indirect=True)
def test_a_job_goes_on_without_a_node_that_died_and_grows_when_it_is_back(service, cluster, jobs, tmp_path):
    """An elastic job takes as many ranks as the nodes that are left can have, and more when there are more. The training goes on
    from its own checkpoints."""
    service.kill()
    service.start("--grow-after", "1")
    folder, enough = tmp_path / "checkpoints", tmp_path / "enough"
    folder.mkdir()
    nodes = NODES_BEFORE_ONE_DIES
    name = service.post({"script": str(JOBS / "torch_trains.py"), "args": ["env://", str(enough)], "python": str(python_of(jobs["torch_ddp"].env)),
                         "workers": {"min": 2, "max": nodes}, "nodes": nodes, "cpus_per_worker": 2, "gpus_per_worker": 0,
                         "checkpoint_directory": str(folder)})[1]["id"]
    steps_of = lambda attempt, rank: len(re.findall(rf"lab rank={rank} step=", output_of(service, name, attempt)))
    wait_until(lambda: steps_of(1, nodes - 1) > 1, "all ranks train", PATIENCE_S)
    cluster.kill_node("n2")
    wait_until(lambda: steps_of(2, nodes - 2) > 1, "it goes on without the node", PATIENCE_S)
    assert service.job(name)["last_attempt"]["workers"] == nodes - 1
    wait_until(lambda: "down" in cluster.run(["sinfo", "-h", "-n", "n2", "-o", "%T"]), "Slurm knows of it", PATIENCE_S)
    cluster.revive_node("n2")
    wait_until(lambda: steps_of(3, nodes - 1) > 1, "all ranks train again", PATIENCE_S)
    enough.touch()
    done = service.wait_for(name, limit_s=PATIENCE_S)
    events = service.events(name)
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 3), events
    assert done["last_attempt"]["node_names"] == list(cluster.nodes) and done["last_attempt"]["workers"] == nodes
    assert any(kind == "failed, to be retried" and "without n2" in detail for kind, detail in events), events
    assert ("ended, to grow", f"ended to go on with {nodes} ranks from its checkpoint: n2 is back") in events, events
    for attempt, ranks in ((2, nodes - 1), (3, nodes)):
        assert len(re.findall(r"goes on from epoch [1-9]", output_of(service, name, attempt))) == ranks


def output_of(service, name, attempt):
    path = service.folder / "jobs" / name / str(attempt) / "output"
    return path.read_text() if path.exists() else ""
