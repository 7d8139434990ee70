"""A real Kubernetes of several nodes on one machine: etcd, API server, controller manager and scheduler on the host that
people log in to, containerd and a kubelet on each of the others.

    with Cluster(folder, nodes=2) as cluster:
        cluster.objects("GET", "/api/v1/nodes")

Nodes have process numbers, mounts and a network of their own: when a node is killed, or the harness is, its containers are gone.
"""

import contextlib
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import threading
import time

from harness import namespaces
from harness.errors import LabError
from harness.host_cluster import LOGIN, HostCluster, specs_of

from kubelab import image, settings
from kubelab.credentials import PORT, Credentials, roles

HERE = pathlib.Path(__file__).resolve().parent
# The kubelet sets these for the whole machine.
KERNEL_SETTINGS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys",
                   "kernel/keys/root_maxbytes")


class Cluster(HostCluster):
    ready_s = 120.0

    def __init__(self, folder: pathlib.Path, nodes: int = 2):
        made = subprocess.run([HERE / "make_kubernetes"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        self.programs = pathlib.Path(made[-1])
        (folder / "log").mkdir(parents=True)
        specs = specs_of(nodes)
        self.address = specs[0].address
        self.who = Credentials(folder / "who", self.address)
        self._cgroup = f"lockstep-lab-{os.getpid()}-{id(self):x}"
        self._kernel = {name: pathlib.Path("/proc/sys", name).read_text() for name in KERNEL_SETTINGS}
        super().__init__(folder, specs, {"KUBECONFIG": str(self.who.admin)})

    def objects(self, method: str, path: str, body: dict | None = None) -> dict:
        """An answer of the API, asked on the login host as an administrator."""
        answer = {}
        asking = threading.Thread(target=lambda: answer.update(self._ask(method, path, body)))
        asking.start()
        asking.join()
        return answer

    def pods(self) -> dict[str, str]:
        """By name, with the node of each."""
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "")
                for pod in self.objects("GET", "/api/v1/namespaces/default/pods").get("items", [])}

    def close(self):
        super().close()
        for name, value in self._kernel.items():
            pathlib.Path("/proc/sys", name).write_text(value)
        self._remove_cgroups()

    def _remove_cgroups(self):
        """A group is busy for a moment after its last process."""
        end = time.monotonic() + 10
        for place in pathlib.Path("/sys/fs/cgroup").glob(f"*/{self._cgroup}"):
            while place.exists():
                for inner in sorted(place.glob("**/"), reverse=True):
                    with contextlib.suppress(OSError):
                        inner.rmdir()
                if time.monotonic() > end:
                    raise LabError(f"{place} cannot be removed")

    def _ask(self, method: str, path: str, body: dict | None) -> dict:
        namespaces.enter(self.by_name[LOGIN].pid, namespaces.NEW_NETWORK)
        trust = ssl.create_default_context(cafile=self.who.folder / "ca.crt")
        trust.load_cert_chain(self.who.folder / "admin.crt", self.who.folder / "admin.key")
        connection = http.client.HTTPSConnection(self.address, PORT, context=trust, timeout=10)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())
        except (OSError, ValueError):
            return {}
        finally:
            connection.close()

    def _start(self):
        self._daemon(LOGIN, settings.etcd(self.folder))
        self._daemon(LOGIN, settings.apiserver(self.programs, self.address, self.who))
        image.write_image(self.folder / "image.tar", self.programs / "pause")
        self._until(lambda: self.objects("GET", "/api/v1/namespaces/default").get("kind") == "Namespace", "the API answers")
        self._daemon(LOGIN, settings.controller_manager(self.programs, self.who))
        self._daemon(LOGIN, settings.scheduler(self.programs, self.who))
        for role in roles():
            kind = role["kind"].lower() + "s"
            space = "namespaces/default/" if "namespace" in role["metadata"] else ""
            self.objects("POST", f"/apis/rbac.authorization.k8s.io/v1/{space}{kind}", role)
        for number, name in enumerate(self.nodes, 1):
            self._prepare_node(number, name)
            self.start_node(name)
        self._until(lambda: self._ready_nodes() == len(self.nodes), "all nodes are ready")

    def _prepare_node(self, number: int, name: str):
        host = self.by_name[name]
        own = self.folder / name
        (own / "cni").mkdir(parents=True)
        (own / "cni" / "10-lab.conflist").write_text(settings.cni_config(number))
        (own / "containerd.toml").write_text(settings.containerd_config(own))
        (own / "kubelet.json").write_text(settings.kubelet_config())
        route = ["ip", "route", "add", settings.pod_network(number), "via", host.address, "dev", f"to{host.index}", "onlink"]
        subprocess.run(route, check=True, preexec_fn=lambda: namespaces.enter(self._hosts.router_pid))

    def start_node(self, name: str):
        own = self.folder / name
        kubelet = settings.kubelet(self.programs, own, name, self.by_name[name].address, self.who)
        self._daemon(name, ["unshare", "--pid", "--mount", "--fork", "--kill-child", "/usr/bin/python3", "-B", HERE / "node.py",
                            f"/{self._cgroup}/{name}", self.folder / "image.tar", own / "containerd.toml", *kubelet], "node")

    def _ready_nodes(self) -> int:
        return sum(any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"].get("conditions", []))
                   for node in self.objects("GET", "/api/v1/nodes").get("items", []))
