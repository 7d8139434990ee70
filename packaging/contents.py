"""What every package says of Lockstep, and how files get into archives so that the same tree gives the same bytes."""

import io
import os
import re
import subprocess
import tarfile
import time

TREE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
NAME = "lockstep-training"  # `lockstep` on PyPI is somebody else's
SUMMARY = "Finds out why a distributed training job failed, hung, slowed down or went silently wrong"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}  # as Debian and container images call them


def version():
    """The one place that has it is CMakeLists.txt."""
    with open(os.path.join(TREE, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"^project\(lockstep VERSION ([0-9.]+)", file.read(), re.MULTILINE)[1]


def epoch():
    """The time that all files get: that of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    done = subprocess.run(["git", "-C", TREE, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
    return int(done.stdout or 0)


def zip_date():
    return time.gmtime(max(epoch(), 315532800))[:6]  # a zip file knows no time before 1980


def staged(arch):
    root = os.path.join(TREE, "build", "packages", arch)
    if not os.path.exists(os.path.join(root, "bin", "lockstep")):
        raise SystemExit(f"packaging: {root} is not there: run 'packaging/stage {arch}'")
    return root


def files_below(folder):
    """(path, name below it), sorted; links are followed."""
    found = []
    for place, _, names in os.walk(folder, followlinks=True):
        for name in names:
            path = os.path.join(place, name)
            if not name.endswith(".pyc"):
                found.append((path, os.path.relpath(path, folder)))
    return sorted(found, key=lambda pair: pair[1])


def is_program(path):
    return bool(os.stat(path).st_mode & 0o100)


def output_folder():
    folder = os.path.join(TREE, "build", "dist")
    os.makedirs(folder, exist_ok=True)
    return folder


def open_tar(stream):
    return tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT)


def add_tree(tar, folder, under):
    """With the folders on the way: whoever unpacks it as root gets them readable for everybody."""
    made = set()
    for path, name in files_below(folder):
        name = os.path.normpath(os.path.join(under, name))
        parts = name.split(os.sep)[:-1]
        for depth in range(1, len(parts) + 1):
            place = os.sep.join(parts[:depth])
            if place not in made:
                made.add(place)
                tar.addfile(_member(place, tarfile.DIRTYPE, 0o755))
        add_file(tar, path, name)


def add_file(tar, path, name, mode=None):
    with open(path, "rb") as file:
        add_bytes(tar, name, file.read(), mode or (0o755 if is_program(path) else 0o644))


def add_bytes(tar, name, content, mode=0o644):
    member = _member(name, tarfile.REGTYPE, mode)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def add_link(tar, name, target):
    member = _member(name, tarfile.SYMTYPE, 0o777)
    member.linkname = target
    tar.addfile(member)


def _member(name, kind, mode):
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.mtime = kind, mode, epoch()
    member.uname = member.gname = "root"
    return member
