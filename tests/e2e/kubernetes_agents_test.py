"""Facts and probes of pods of a real Kubernetes, reached by kubectl from the host that people log in to."""

import json
import os
import pathlib
import subprocess

import pytest

from kubelab import image
from kubelab.cluster import Cluster
from network_hosts import LOCKSTEP, PATIENCE_S
from service_client import wait_until

PODS = "/api/v1/namespaces/default/pods"
NAMES = ["default/first", "default/second"]
TORCHRUN = ["torchrun", "--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "first", "train.py"]


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path / "c", nodes=2) as made:
        for name, node in zip(("first", "second"), made.nodes):
            made.objects("POST", PODS, pod(name, node))
        wait_until(lambda: phases(made) == ["Running"] * 2, "both pods run", PATIENCE_S * 4)
        yield made


def pod(name: str, node: str) -> dict:
    places = dict.fromkeys(["/usr", "/etc", "/tmp", str(pathlib.Path(LOCKSTEP).resolve().parent)])
    volumes = {f"host{number}": place for number, place in enumerate(places)}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}, "spec": {
        "nodeName": node, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "rank", "image": image.NAME, "command": ["/usr/bin/sleep", "600"],
                        "volumeMounts": [{"name": key, "mountPath": place} for key, place in volumes.items()]}],
        "volumes": [{"name": key, "hostPath": {"path": place}} for key, place in volumes.items()]}}


def phases(cluster) -> list[str]:
    return [one["status"]["phase"] for one in cluster.objects("GET", PODS)["items"]]


def from_login(cluster, *words) -> subprocess.CompletedProcess:
    environ = cluster.environ | {"PATH": f"{cluster.programs}:{os.environ['PATH']}"}
    started = cluster.popen([LOCKSTEP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ)
    out, err = started.communicate(timeout=PATIENCE_S * 4)
    return subprocess.CompletedProcess(started.args, started.returncode, out, err)


def test_pods_tell_their_facts_and_are_probed(cluster, tmp_path):
    reached = ["--host", ",".join(NAMES), "--via", "kubectl", "--program", LOCKSTEP]
    done = from_login(cluster, "facts", *reached, "-o", tmp_path / "facts")
    assert done.returncode == 0, done.stderr
    told = {said["host"]: said for said in (json.loads(file.read_text()) for file in (tmp_path / "facts").iterdir())}
    assert sorted(told) == ["first", "second"]
    assert all(any(item["name"] == "eth0" for item in said["interfaces"]) for said in told.values())
    done = from_login(cluster, "check", "--json", "--probe", *reached, "--", *TORCHRUN)
    probe = json.loads(done.stdout)["probe"]
    assert probe["hosts"] == 2 and probe["open"] == probe["tried"] > 0, (done.stdout, done.stderr)
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "probe-agent" not in running
