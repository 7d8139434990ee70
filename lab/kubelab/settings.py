"""The settings of the lab's Kubernetes."""

import json
import pathlib

from kubelab import image
from kubelab.credentials import PORT, Credentials

# As node.py mounts them, on each node alone.
CONTAINERD_SOCKET = "/run/containerd/containerd.sock"


def etcd(folder: pathlib.Path) -> list[str]:
    return ["etcd", f"--data-dir={folder}/etcd", "--unsafe-no-fsync", "--listen-client-urls=http://127.0.0.1:2379",
            "--advertise-client-urls=http://127.0.0.1:2379", "--listen-peer-urls=http://127.0.0.1:2380"]


def apiserver(programs: pathlib.Path, address: str, who: Credentials) -> list[str]:
    keys = who.folder
    return [f"{programs}/kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", f"--secure-port={PORT}", f"--advertise-address={address}",
            f"--tls-cert-file={keys}/server.crt", f"--tls-private-key-file={keys}/server.key", f"--client-ca-file={keys}/ca.crt",
            f"--token-auth-file={keys}/tokens.csv", "--authorization-mode=RBAC", "--service-account-issuer=https://lab.local",
            f"--service-account-signing-key-file={keys}/accounts.key", f"--service-account-key-file={keys}/accounts.key",
            "--service-cluster-ip-range=10.96.0.0/16", "--kubelet-preferred-address-types=InternalIP",
            "--disable-admission-plugins=ServiceAccount", "--allow-privileged"]


def controller_manager(programs: pathlib.Path, who: Credentials) -> list[str]:
    """A node that says nothing for ten seconds is not ready; usually it is forty."""
    return [f"{programs}/kube-controller-manager", f"--kubeconfig={who.admin}", "--leader-elect=false",
            f"--service-account-private-key-file={who.folder}/accounts.key", f"--root-ca-file={who.folder}/ca.crt",
            "--node-monitor-period=1s", "--node-monitor-grace-period=10s"]


def scheduler(programs: pathlib.Path, who: Credentials) -> list[str]:
    return [f"{programs}/kube-scheduler", f"--kubeconfig={who.admin}", "--leader-elect=false"]


def kubelet(programs: pathlib.Path, folder: pathlib.Path, node: str, address: str, who: Credentials) -> list[str]:
    return [f"{programs}/kubelet", f"--kubeconfig={who.admin}", f"--config={folder}/kubelet.json", f"--hostname-override={node}",
            f"--node-ip={address}", "--container-runtime=remote", f"--container-runtime-endpoint=unix://{CONTAINERD_SOCKET}"]


def kubelet_config() -> str:
    return json.dumps({
        "kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}}, "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs", "cgroupsPerQOS": False, "enforceNodeAllocatable": [],
        "failSwapOn": False, "resolvConf": "", "nodeStatusUpdateFrequency": "2s", "nodeLeaseDurationSeconds": 8,
        "evictionHard": {"memory.available": "0%", "nodefs.available": "0%", "imagefs.available": "0%"},
        "imageGCHighThresholdPercent": 100, "serializeImagePulls": False})


def containerd_config(folder: pathlib.Path) -> str:
    cri = 'plugins."io.containerd.grpc.v1.cri"'
    return f"""version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
address = "{CONTAINERD_SOCKET}"
[{cri}]
sandbox_image = "{image.NAME}"
restrict_oom_score_adj = true
[{cri}.containerd]
snapshotter = "native"
[{cri}.cni]
bin_dir = "/usr/lib/cni"
conf_dir = "{folder}/cni"
"""


def pod_network(number: int) -> str:
    return f"10.88.{number}.0/24"


def cni_config(number: int) -> str:
    return json.dumps({"cniVersion": "0.4.0", "name": "lab", "plugins": [
        {"type": "bridge", "bridge": "cni0", "isGateway": True,
         "ipam": {"type": "host-local", "ranges": [[{"subnet": pod_network(number)}]], "routes": [{"dst": "0.0.0.0/0"}]}}]})
