"""Who is who in the lab's Kubernetes: an authority, the server's certificate, one of an administrator, and tokens."""

import base64
import json
import pathlib
import subprocess

PORT = 6443
# What `lockstep serve` needs, as docs/verbs/serve.md says it, and nothing else.
SERVICE_TOKEN, OTHER_TOKEN = "service-token", "other-token"
SERVICE_USER, OTHER_USER = "lockstep", "somebody"
NAMESPACED = {"configmaps": ["create", "get", "delete"], "secrets": ["create", "get"], "services": ["create", "get"],
              "pods": ["create", "get", "list", "delete"], "pods/log": ["get"]}


class Credentials:
    def __init__(self, folder: pathlib.Path, server: str):
        self.folder, self.url = folder, f"https://{server}:{PORT}"
        folder.mkdir()
        self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=lab", "-keyout", "ca.key",
                      "-out", "ca.crt")
        self._certificate("server", "/CN=kube-apiserver", f"subjectAltName=IP:{server},IP:127.0.0.1")
        self._certificate("admin", "/O=system:masters/CN=admin", "extendedKeyUsage=clientAuth")
        self._openssl("genrsa", "-out", "accounts.key", "2048")
        (folder / "tokens.csv").write_text(f"{SERVICE_TOKEN},{SERVICE_USER},1\n{OTHER_TOKEN},{OTHER_USER},2\n")
        self.admin = self._kubeconfig("admin", {"client-certificate-data": self._data("admin.crt"),
                                                "client-key-data": self._data("admin.key")})
        self.service = self._kubeconfig("service", {"token": SERVICE_TOKEN})
        self.stranger = self._kubeconfig("stranger", {"token": "nobody's"})

    def _certificate(self, name: str, subject: str, extension: str):
        self._openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-keyout", f"{name}.key", "-out", f"{name}.csr")
        (self.folder / f"{name}.ext").write_text(extension + "\n")
        self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                      "-extfile", f"{name}.ext", "-out", f"{name}.crt")

    def _openssl(self, *words: str):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def _data(self, name: str) -> str:
        return base64.b64encode((self.folder / name).read_bytes()).decode()

    def _kubeconfig(self, name: str, user: dict) -> pathlib.Path:
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "lab",
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": name}}],
            "clusters": [{"name": "lab", "cluster": {"server": self.url, "certificate-authority": "ca.crt"}}],
            "users": [{"name": name, "user": user}]}))
        return path


def roles() -> list[dict]:
    """Objects that allow the service's user what it needs."""
    subject = [{"kind": "User", "name": SERVICE_USER, "apiGroup": "rbac.authorization.k8s.io"}]
    version = {"apiVersion": "rbac.authorization.k8s.io/v1"}
    rules = [{"apiGroups": [""], "resources": [kind], "verbs": verbs} for kind, verbs in NAMESPACED.items()]
    nodes = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}]

    def bound(kind: str, scope: str, space: dict, allowed: list) -> list[dict]:
        metadata = {"metadata": {"name": "lockstep"} | space}
        role = version | metadata | {"kind": kind, "rules": allowed}
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "lockstep"}
        return [role, version | metadata | {"kind": f"{scope}Binding", "roleRef": reference, "subjects": subject}]

    return bound("Role", "Role", {"namespace": "default"}, rules) + bound("ClusterRole", "ClusterRole", {}, nodes)
