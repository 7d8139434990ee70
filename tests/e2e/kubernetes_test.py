"""Jobs through a real Kubernetes of three nodes: every rank is a pod there, and a script and a worker count are enough."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from cluster_service import ClusterService
from harness import process_tree
from harness.registry import python_of
from kubelab import image
from kubelab.cluster import Cluster
from service_client import JOBS, pids_with, wait_until

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", ROOT / "build/release")).resolve()
PATIENCE_S = 240
CORE = "/api/v1/namespaces/default"


@pytest.fixture(scope="module", autouse=True)
def nothing_left():
    """The cluster stays for all tests of this file; it goes with the last."""
    yield
    left = [pid for pid in process_tree.descendants(os.getpid()) if process_tree.state_of(pid) not in ("", "Z")]
    assert not left, f"processes are left: {left}"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("kube") / "c", nodes=3) as made:
        yield made


@pytest.fixture
def template(tmp_path):
    """Pods see the machine's own programs, this tree, the lab's environments and what tests write."""
    places = ["/usr", "/etc", "/tmp", str(pathlib.Path.home()), str(ROOT), str(BUILD)]
    names = {f"host{number}": place for number, place in enumerate(dict.fromkeys(places))}
    pod = {"kind": "Pod", "metadata": {"labels": {"team": "lab"}}, "spec": {
        "containers": [{"name": "rank", "image": image.NAME, "workingDir": "/tmp",
                        "volumeMounts": [{"name": name, "mountPath": place} for name, place in names.items()]}],
        "volumes": [{"name": name, "hostPath": {"path": place}} for name, place in names.items()]}}
    path = tmp_path / "pod.json"
    path.write_text(json.dumps(pod))
    return path


@pytest.fixture
def service(tmp_path, cluster, template):
    with ClusterService(tmp_path / "s", cluster, "--engine", "kubernetes", "--kubeconfig", cluster.who.service,
                        "--pod-template", template) as made:
        yield made
    wait_until(lambda: not cluster.pods(), "no pod is left", PATIENCE_S)


def params_in(lines):
    return {match[1]: match[2] for line in lines if (match := re.search(r"lab rank=(\d+) done params=(\S+)", line))}


def launched_by_hand(job, workers):
    """The same ranks as processes of this machine, without Lockstep and Kubernetes."""
    environ = os.environ | dict(job.environ) | {"WORLD_SIZE": str(workers), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29517"}
    ranks = [subprocess.Popen([python_of(job.env), job.script], env=environ | {"RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
             for rank in range(workers)]
    return params_in(line for rank in ranks for line in rank.communicate(timeout=PATIENCE_S)[0].splitlines())


def test_pytorch_meets_over_two_nodes_as_by_hand(jobs, service, cluster):
    job = jobs["torch_ddp"]
    name = service.post({"script": str(job.script), "python": str(python_of(job.env)), "workers": 4, "nodes": 2,
                         "environment": dict(job.environ) | {"SECRET": "a b"}})[1]["id"]
    wait_until(lambda: len(cluster.pods()) == 4 or service.job(name)["state"] != "RUNNING", "there is a pod for each rank", PATIENCE_S)
    secrets = cluster.objects("GET", f"{CORE}/secrets")["items"]
    assert any("SECRET" in secret.get("data", {}) for secret in secrets)
    done = service.wait_for(name, limit_s=PATIENCE_S)
    said = service.log(name)
    assert done["state"] == "SUCCEEDED", (done["reason"], service.events(name), said[-20:])
    nodes = done["last_attempt"]["node_names"]
    assert done["engine"] == "kubernetes" and len(nodes) == 4 and len(set(nodes)) == 2
    assert params_in(said) == launched_by_hand(job, 4)


def test_all_goes_with_its_owner(service, cluster):
    name = service.post({"command": ["/bin/true"], "workers": 2})[1]["id"]
    assert service.wait_for(name, limit_s=PATIENCE_S)["state"] == "SUCCEEDED", service.events(name)
    for kind in ("configmaps", "secrets", "services", "pods"):
        wait_until(lambda: not [one for one in cluster.objects("GET", f"{CORE}/{kind}")["items"]
                                if "lockstep-attempt" in one["metadata"].get("labels", {})], f"{kind} are gone", PATIENCE_S)


def test_what_kubernetes_would_let_wait_for_ever_is_refused(service):
    for request, pointer in [({"workers": 4, "nodes": 4}, "/nodes"), ({"workers": 64}, "/workers"),
                             ({"workers": 1, "gpus_per_worker": 1}, "/gpus_per_worker"), ({"workers": 1, "cpus_per_worker": 64}, "/cpus_per_worker"),
                             ({"workers": 1, "partition": "main"}, "/partition")]:
        status, problem = service.post({"command": ["true"]} | request)
        assert (status, problem["errors"][0]["pointer"]) == (422, pointer), problem


def test_the_rank_that_failed_first_is_named_and_explained(service):
    command = ["/usr/bin/python3", "-c", "import os, time\nprint(os.environ['RANK'], os.uname().nodename, flush=True)\n"
               "if os.environ['RANK'] == '2': raise ModuleNotFoundError(\"No module named 'flash_attn'\")\ntime.sleep(600)"]
    name = service.post({"command": command, "workers": 3})[1]["id"]
    done = service.wait_for(name, limit_s=PATIENCE_S)
    assert (done["state"], done["reason"]) == ("FAILED", done["diagnosis"]["findings"][0]["title"]), service.events(name)
    assert done["diagnosis"]["findings"][0]["leaf"] and "flash_attn" in json.dumps(done["diagnosis"])
    assert sorted(line for line in service.log(name) if "rank-" in line) == [f"[{rank}] {rank} rank-{rank}" for rank in range(3)]
    kinds = [kind for kind, _ in service.events(name)]
    assert [kind for kind in kinds if kind != "waiting"] == ["queued", "started", "handed in", "running", "failed"]


def test_cancel_leaves_nothing(service, cluster):
    mark = f"lockstep-kubernetes-test-{os.getpid()}"
    name = service.post({"command": ["/bin/sh", "-c", f"sleep 600 # {mark}"], "workers": 3})[1]["id"]
    wait_until(lambda: len(pids_with(mark)) >= 3, "the ranks run", PATIENCE_S)
    service.request("POST", f"/v1/jobs/{name}/cancel")
    assert service.wait_for(name, limit_s=PATIENCE_S)["state"] == "CANCELLED"
    wait_until(lambda: not cluster.pods() and not pids_with(mark), "nothing runs on", PATIENCE_S)


def test_a_job_is_found_again(service, cluster, tmp_path):
    """Whether the service was killed or its keeper too: the pods run on."""
    gate = tmp_path / "gate"
    name = service.post({"command": ["/bin/sh", "-c", f"until test -e {gate}; do sleep 0.1; done; echo rank $RANK"], "workers": 2})[1]["id"]
    wait_until(lambda: "running" in dict(service.events(name)), "it runs", PATIENCE_S)
    pods = cluster.pods()
    keeper = int((service.folder / "jobs" / name / "1/started").read_text())
    service.kill()
    os.kill(keeper, signal.SIGKILL)
    service.start()
    wait_until(lambda: "found again" in dict(service.events(name)), "it is found", PATIENCE_S)
    assert cluster.pods() == pods and len(pods) == 2
    gate.touch()
    done = service.wait_for(name, limit_s=PATIENCE_S)
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 1), service.events(name)
    assert sorted(service.log(name)) == ["[0] rank 0", "[1] rank 1"]


def test_a_pod_that_somebody_deletes_is_made_again(service, cluster, tmp_path):
    """As when a node is drained."""
    command = ["/bin/sh", "-c", f"test $LOCKSTEP_ATTEMPT = 1 && {{ touch {tmp_path}/began-$RANK; sleep 600; }}; echo again"]
    name = service.post({"command": command, "workers": 2})[1]["id"]
    wait_until(lambda: len(list(tmp_path.glob("began-*"))) == 2, "the ranks run", PATIENCE_S)
    cluster.objects("DELETE", f"{CORE}/pods/{sorted(cluster.pods())[1]}")
    done = service.wait_for(name, limit_s=PATIENCE_S)
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 2), service.events(name)
    assert any("preempted by Kubernetes: the pod of rank 1 was deleted" in detail for _, detail in service.events(name))


def test_what_the_server_refuses_is_said(tmp_path, cluster, template):
    """An image that nobody has, and a token that nobody gave."""
    words = ["--engine", "kubernetes", "--pod-template", template, "--image", "lab.local/none:1"]
    with ClusterService(tmp_path / "a", cluster, *words, "--kubeconfig", cluster.who.admin) as service:
        name = service.post({"command": ["true"], "workers": 1})[1]["id"]
        done = service.wait_for(name, limit_s=PATIENCE_S)
        assert done["state"] == "FAILED" and "Kubernetes cannot start rank 0: " in done["reason"] and "lab.local/none:1" in done["reason"]
    with ClusterService(tmp_path / "b", cluster, *words, "--kubeconfig", cluster.who.stranger) as service:
        status, problem = service.post({"command": ["true"], "workers": 1})
        assert (status, problem["errors"]) == (422, [{"pointer": "/engine", "detail": "Kubernetes cannot be asked: Unauthorized"}])


def test_all_ranks_get_places_or_none_holds_any(tmp_path, cluster, template):
    """A job that finds room for some of its ranks gives it back, and has all of it when there is enough."""
    gate = tmp_path / "gate"
    words = ["--engine", "kubernetes", "--kubeconfig", cluster.who.service, "--pod-template", template, "--gang-wait", "3"]
    with ClusterService(tmp_path / "s", cluster, *words) as service:
        first = service.post({"command": ["/bin/sh", "-c", f"until test -e {gate}; do sleep 0.1; done"], "workers": 2, "nodes": 2,
                              "cpus_per_worker": 2})[1]["id"]
        wait_until(lambda: "running" in dict(service.events(first)), "it runs", PATIENCE_S)
        second = service.post({"command": ["/bin/sh", "-c", "echo rank $RANK"], "workers": 3, "nodes": 3, "cpus_per_worker": 2})[1]["id"]
        gave_back = lambda: any("all places are given back for a while" in detail for _, detail in service.events(second))
        wait_until(gave_back, "it gives its places back", PATIENCE_S)
        wait_until(lambda: len(cluster.pods()) == 2, "only the first job has pods", PATIENCE_S)
        gate.touch()
        assert service.wait_for(first, limit_s=PATIENCE_S)["state"] == "SUCCEEDED", service.events(first)
        done = service.wait_for(second, limit_s=PATIENCE_S)
        assert (done["state"], done["attempts"]) == ("SUCCEEDED", 1), service.events(second)
        assert sorted(service.log(second)) == [f"[{rank}] rank {rank}" for rank in range(3)]
    wait_until(lambda: not cluster.pods(), "no pod is left", PATIENCE_S)


def test_what_a_rank_asks_for_is_the_limit_of_its_pod_and_grows_when_it_was_too_little(service, cluster, tmp_path):
    """Memory that ranks share counts for the pod, whatever the limit of a process."""
    program = (f"import mmap, pathlib, os\npathlib.Path('{tmp_path}', 'began-' + os.environ['LOCKSTEP_ATTEMPT']).touch()\n"
               "taken = mmap.mmap(-1, 640 << 20)\nfor at in range(0, len(taken), 4096): taken[at] = 1\nprint('had enough', flush=True)")
    name = service.post({"command": ["/usr/bin/python3", "-c", program], "workers": 1, "memory_per_worker": 256 << 20,
                         "memory_most": 1 << 30})[1]["id"]
    wait_until(lambda: cluster.pods(), "there is a pod", PATIENCE_S)
    limits = cluster.objects("GET", f"{CORE}/pods/{sorted(cluster.pods())[0]}")["spec"]["containers"][0]["resources"]["limits"]
    assert limits["memory"] == str(512 << 20), limits
    done = service.wait_for(name, limit_s=PATIENCE_S)
    events = service.events(name)
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 2), events
    assert any("each rank may have 512 MiB now" in detail for _, detail in events), events
    assert service.log(name) == ["[0] had enough"]


def test_a_job_goes_on_without_a_node_that_died_and_grows_when_it_is_back(service, cluster, jobs, tmp_path):
    """The last test of the file: a node dies in it. The training goes on from its own checkpoints."""
    service.kill()
    service.start("--grow-after", "1")
    folder, enough = tmp_path / "checkpoints", tmp_path / "enough"
    folder.mkdir()
    name = service.post({"script": str(JOBS / "torch_trains.py"), "args": ["env://", str(enough)], "python": str(python_of(jobs["torch_ddp"].env)),
                         "workers": {"min": 2, "max": 3}, "nodes": 3, "cpus_per_worker": 2, "checkpoint_directory": str(folder)})[1]["id"]
    steps_of = lambda attempt, rank: len(re.findall(rf"lab rank={rank} step=", output_of(service, name, attempt)))
    wait_until(lambda: steps_of(1, 2) > 1, "three ranks train", PATIENCE_S)
    cluster.kill_node("n2")
    wait_until(lambda: steps_of(2, 1) > 1, "two ranks go on", PATIENCE_S)
    cluster.revive_node("n2")
    wait_until(lambda: steps_of(3, 2) > 1, "three ranks train again", PATIENCE_S)
    enough.touch()
    done = service.wait_for(name, limit_s=PATIENCE_S)
    events = service.events(name)
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 3), events
    went = [(attempt["workers"], sorted(attempt["node_names"])) for attempt in service.get(f"/v1/jobs/{name}/attempts")[1]["attempts"]]
    assert went[1:] == [(2, ["n1", "n3"]), (3, ["n1", "n2", "n3"])], went
    assert any(kind == "failed, to be retried" and "without n2" in detail for kind, detail in events), events
    assert ("ended, to grow", "ended to go on with 3 ranks from its checkpoint: n2 is back") in events, events
    for attempt, ranks in ((2, 2), (3, 3)):
        assert len(re.findall(r"goes on from epoch [1-9]", output_of(service, name, attempt))) == ranks
    assert len(params_in(service.log(name))) == 3


def output_of(service, name, attempt):
    path = service.folder / "jobs" / name / str(attempt) / "output"
    return path.read_text() if path.exists() else ""
