"""The one image of the lab's pods: empty, but for the links of Debian's file system and the program that holds a pod's
namespaces. What pods run is the machine's own, mounted into them: nothing is fetched from anywhere."""

import hashlib
import io
import json
import pathlib
import tarfile

NAME = "lab.local/host:1"
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}
FOLDERS = ("usr", "etc", "tmp", "root", "dev", "proc", "sys", "run", "var")


def write_image(path: pathlib.Path, pause: pathlib.Path):
    """As an OCI archive, which containerd imports."""
    layer = _layer(pause)
    layer_digest = _digest(layer)
    config = _json({"architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/pause"]},
                    "rootfs": {"type": "layers", "diff_ids": [layer_digest]}})
    manifest = _json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": _described("application/vnd.oci.image.config.v1+json", config),
        "layers": [_described("application/vnd.oci.image.layer.v1.tar", layer)]})
    entry = _described("application/vnd.oci.image.manifest.v1+json", manifest) | {
        "annotations": {"io.containerd.image.name": NAME, "org.opencontainers.image.ref.name": NAME}}
    with tarfile.open(path, "w") as archive:
        _add(archive, "oci-layout", _json({"imageLayoutVersion": "1.0.0"}))
        _add(archive, "index.json", _json({"schemaVersion": 2, "manifests": [entry]}))
        for blob in (layer, config, manifest):
            _add(archive, "blobs/" + _digest(blob).replace(":", "/"), blob)


def _layer(pause: pathlib.Path) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in FOLDERS:
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder)
        for name, target in LINKS.items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
        _add(archive, "pause", pause.read_bytes(), 0o755)
    return out.getvalue()


def _add(archive: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _described(kind: str, content: bytes) -> dict:
    return {"mediaType": kind, "digest": _digest(content), "size": len(content)}


def _json(value) -> bytes:
    return json.dumps(value).encode()
