"""The first process of a node, in process numbers of its own: with it everything on the node ends, containers too.

    node.py CGROUP IMAGE CONTAINERD_CONFIG KUBELET...

Containerd and the kubelet keep what they know in memory file systems that only this node sees.
"""

import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harness import namespaces

SOCKET = "/run/containerd/containerd.sock"


def main():
    cgroup, image, config, *kubelet = sys.argv[1:]
    hierarchies = cgroup_mounts()
    subprocess.run(["mount", "-t", "proc", "proc", "/proc"], check=True)
    for place in ("/run", "/var/lib", "/var/log"):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=True)
    mount_cgroups(hierarchies, cgroup)
    subprocess.Popen(["containerd", "--config", config])
    until(lambda: subprocess.run(["ctr", "--address", SOCKET, "version"], capture_output=True).returncode == 0)
    subprocess.run(["ctr", "--address", SOCKET, "--namespace", "k8s.io", "images", "import", image], check=True)
    subprocess.Popen(kubelet)
    while True:  # and bury whoever is left to us
        os.wait()


def cgroup_mounts() -> list[tuple[str, str, str]]:
    """Place, kind and controllers, as the machine has them: the host's own /sys hides them."""
    found = []
    for line in pathlib.Path("/proc/1/mounts").read_text().splitlines():
        _, place, kind, options, *_ = line.split()
        if kind in ("cgroup", "cgroup2") and place.startswith("/sys/fs/cgroup"):
            controllers = [word for word in options.split(",") if word not in ("rw", "ro", "nosuid", "nodev", "noexec", "relatime")]
            found.append((place, kind, ",".join(controllers)))
    return found


def mount_cgroups(hierarchies: list[tuple[str, str, str]], cgroup: str):
    """Twice: first to go below a group of the node's own, then with that for their root."""
    if hierarchies and hierarchies[0][0] != "/sys/fs/cgroup":
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/sys/fs/cgroup"], check=True)
    for hierarchy in hierarchies:
        mount_cgroup(*hierarchy)
        go_below(pathlib.Path(hierarchy[0]), cgroup)
    namespaces.unshare(namespaces.NEW_CGROUP)
    for hierarchy in reversed(hierarchies):
        subprocess.run(["umount", hierarchy[0]], check=True)
    for hierarchy in hierarchies:
        mount_cgroup(*hierarchy)


def mount_cgroup(place: str, kind: str, controllers: str):
    os.makedirs(place, exist_ok=True)
    options = "none," + controllers if controllers.startswith("name=") else controllers
    subprocess.run(["mount", "-t", kind, *(["-o", options] if kind == "cgroup" else []), "cgroup", place], check=True)


def go_below(root: pathlib.Path, cgroup: str):
    place = root
    for part in cgroup.strip("/").split("/"):
        place /= part
        place.mkdir(exist_ok=True)
        for name in ("cpuset.cpus", "cpuset.mems"):  # without them nobody is let in
            if (place / name).exists() and not (place / name).read_text().strip():
                (place / name).write_text((place.parent / name).read_text())
    (place / "cgroup.procs").write_text("0")


def until(condition):
    while not condition():
        time.sleep(0.05)


if __name__ == "__main__":
    main()
