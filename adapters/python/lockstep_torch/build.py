"""Builds the native half for the PyTorch of this process, once for each machine: PyTorch's C++ interface differs from
version to version. Ranks that start together wait for the one that builds.

    python -m lockstep_torch.build          builds for this Python's PyTorch and prints the path
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from lockstep_python.recorder import HERE, include_folder

LIMIT_S = 180  # of the compiler
RETRY_S = 600  # ranks that start together agree on a failure; a later job tries again
SOURCES = os.path.normpath(os.path.join(HERE, "..", "..", "pytorch"))
# Calls that some versions have and some have not, and the header that tells.
_FEATURES = {
    "torch/csrc/distributed/c10d/Work.hpp": ("getDuration", "getSequencenumber", "getFutureResult", "blockCurrentStream"),
    "torch/csrc/distributed/c10d/ProcessGroup.hpp": ("getGroupName",),
    "c10/core/Stream.h": ("native_handle",),
}


class BuildError(Exception):
    pass


def library_for(torch):
    """The path of the library, built when it is not there."""
    folder = _folder_for(torch)
    library, failure = os.path.join(folder, "lockstep_torch.so"), os.path.join(folder, "failed")
    if os.path.exists(library):
        return library
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(library):
            return library
        if _is_recent(failure):
            with open(failure, encoding="utf-8", errors="replace") as text:
                raise BuildError(f"an earlier build failed ({failure}): {text.readline().strip()}")
        try:
            _build(torch, library)
        except (BuildError, OSError) as error:
            _write_whole(failure, f"{error}\n".encode())
            raise
    return library


def _is_recent(path):
    try:
        return time.time() - os.stat(path).st_mtime < RETRY_S
    except OSError:
        return False


def _folder_for(torch):
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    content = hashlib.sha256()
    for path in [*_sources("*"), os.path.join(include_folder(), "lockstep", "recorder.h")]:
        with open(path, "rb") as file:
            content.update(file.read())
    content.update(_location(torch).encode())
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    return os.path.join(cache, "lockstep", "pytorch", f"{torch.__version__}-{abi}-{content.hexdigest()[:16]}")


def _location(torch):
    """Two installations of one version may be built differently."""
    return os.path.realpath(torch.__file__)


def _sources(kind):
    names = sorted(name for name in os.listdir(SOURCES) if re.search(r"\.(cc|h)$", name))
    return [os.path.join(SOURCES, name) for name in names if kind == "*" or name.endswith(kind)]


def _build(torch, library):
    headers = _header_folder(torch)
    command = [_compiler(), *_flags(torch, headers), "-x", "c++", "-", "-x", "none", *_torch_libraries()]
    # One translation unit: PyTorch's headers are what takes the time.
    unit = "".join(f'#include "{path}"\n' for path in _sources(".cc"))
    with tempfile.TemporaryDirectory(prefix="build-", dir=os.path.dirname(library)) as folder:
        built = os.path.join(folder, "lockstep_torch.so")
        try:
            done = subprocess.run([*command, "-o", built], input=unit, capture_output=True, text=True, timeout=LIMIT_S,
                                  env=_compiler_environment(folder))
        except subprocess.TimeoutExpired as error:
            raise BuildError(f"the compiler took more than {LIMIT_S} s") from error
        if done.returncode != 0:
            raise BuildError(_first_error(done.stderr))
        _write_whole(os.path.join(os.path.dirname(library), "warnings"), done.stderr.encode())
        os.replace(built, library)


def _compiler():
    for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise BuildError("there is no C++ compiler")


def _compiler_environment(folder):
    """The compiler is no part of the job: it is not recorded, and its temporary files go with the build."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"} | {"TMPDIR": folder}


def _header_folder(torch):
    for folder in (os.path.join(os.path.dirname(torch.__file__), "include"), "/usr/include"):
        if os.path.exists(os.path.join(folder, "torch/csrc/distributed/c10d/ProcessGroup.hpp")):
            return folder
    raise BuildError("PyTorch's headers are not installed")


def _flags(torch, headers):
    major, minor = (int(part) for part in re.match(r"(\d+)\.(\d+)", torch.__version__).groups())
    version = 100 * major + minor
    flags = ["-std=c++20" if version >= 210 else "-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall",
             "-Wextra", f"-DLOCKSTEP_TORCH_VERSION={version}", f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
             "-I", SOURCES, "-I", include_folder()]
    if headers != "/usr/include":
        flags += ["-isystem", headers, "-isystem", os.path.join(headers, "torch/csrc/api/include")]
    for header, calls in _FEATURES.items():
        with open(os.path.join(headers, header), encoding="utf-8") as file:
            text = file.read()
        flags += [f"-DLOCKSTEP_HAS_{call}" for call in calls if f" {call}(" in text]
    return flags


def _torch_libraries():
    """The very files that are loaded, whatever they are called here."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
    found = sorted(path for path in paths if re.match(r"lib(torch_cpu|c10)\.so", os.path.basename(path)))
    if len(found) != 2:
        raise BuildError("libtorch_cpu and libc10 are not loaded as libraries of their own")
    return found


def _first_error(text):
    lines = [line for line in text.splitlines() if "error" in line] or text.splitlines() or ["the compiler failed"]
    return lines[0]


def _write_whole(path, content):
    part = f"{path}.{os.getpid()}.part"
    with contextlib.suppress(OSError):
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path)


if __name__ == "__main__":
    import torch as _torch
    print(library_for(_torch))
    sys.exit(0)
