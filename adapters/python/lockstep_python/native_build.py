"""Finds the native half of an adapter for the framework of this process. C++ interfaces differ from version to version, so
packages bring one for each known version, and for others it is built here, once for each machine. Ranks that start together
wait for the one that builds."""

import contextlib
import ctypes
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time

from lockstep_python.recorder import HERE, include_folder

LIMIT_S = 600  # of the compiler: on a busy machine it takes long
RETRY_S = 600  # ranks that start together agree on a failure; a later job tries again


class BuildError(Exception):
    pass


class NoCompiler(BuildError):
    """Nothing failed: as soon as there is a compiler, it can be built."""


class Recipe:
    """What an adapter says of its native half: `flags` and `libraries` are asked for only when it is built. `known_as`: the
    name of the one that packages bring, empty where they bring none."""

    def __init__(self, framework, version, identity, flags, libraries, known_as=""):
        self.framework = framework  # also the folder of the sources
        self.version = version
        self.identity = identity  # two installations of one version may be built differently
        self.flags, self.libraries = flags, libraries
        self.known_as = known_as

    @property
    def sources_folder(self):
        return os.path.normpath(os.path.join(HERE, "..", "..", self.framework))

    @property
    def file_name(self):
        return f"lockstep_{self.framework}.so"

    def sources(self, ends):
        names = sorted(name for name in os.listdir(self.sources_folder) if name.endswith(ends))
        return [os.path.join(self.sources_folder, name) for name in names]


def library_for(recipe):
    """The path of the library, built when it is not there. The framework is loaded."""
    found = prebuilt(recipe)
    if found and _loads(found):
        return found
    found = built(recipe)
    if found:
        return found
    compiler = find_compiler()
    folder = _folder_for(recipe)
    library, failure = os.path.join(folder, recipe.file_name), os.path.join(folder, "failed")
    os.makedirs(folder, exist_ok=True)
    with _locked(folder):
        if os.path.exists(library):
            return library
        _remove_leftovers(folder)
        known = _known_failure(failure, compiler)
        if known:
            raise BuildError(f"an earlier build failed ({failure}): {known}")
        try:
            _build(recipe, library, compiler)
        except (BuildError, OSError) as error:
            _write_whole(failure, f"{_identity(compiler)}\n{error}\n".encode())
            raise
    return library


def what_helps(error):
    """An error of a build in words for people."""
    return f"{error}; install g++ and run again" if isinstance(error, NoCompiler) else str(error)


def prebuilt(recipe):
    """The path of the library that came with Lockstep, if one did."""
    path = os.path.join(os.path.dirname(recipe.sources_folder), "prebuilt", recipe.framework, recipe.known_as + ".so")
    return path if recipe.known_as and os.path.exists(path) else None


def minor_version(version):
    """"2.13" of a released version; empty for nightly and private ones, whose C++ interface is anybody's guess."""
    found = re.fullmatch(r"(\d+\.\d+)\.\d+(\+(cpu|cu|rocm|xpu)[0-9a-z.]*)?", version)
    return found[1] if found else ""


def how_for(recipes):
    """By which of `recipes` there is a library without building one: "prebuilt recorder", "compiled recorder" or None."""
    for how, find in (("prebuilt recorder", prebuilt), ("compiled recorder", built)):
        if any(map(find, recipes)):
            return how
    return None


def _loads(path):
    """Whether this framework has every symbol that it was compiled for."""
    try:
        ctypes.CDLL(path)
        return True
    except OSError:
        return False


def built(recipe):
    """The path of the library if it is there."""
    library = os.path.join(_folder_for(recipe), recipe.file_name)
    return library if os.path.exists(library) else None


@contextlib.contextmanager
def _locked(folder):
    with open(os.path.join(folder, "lock"), "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _remove_leftovers(folder):
    """Of builds that were killed: whoever holds the lock is the only one that builds here."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith("build-"):
            shutil.rmtree(path, ignore_errors=True)
        elif name.endswith(".part"):
            with contextlib.suppress(OSError):
                os.remove(path)


def _known_failure(path, compiler):
    """What a recent build said that failed with this compiler; another one, or a newer, is worth a try."""
    try:
        if time.time() - os.stat(path).st_mtime >= RETRY_S:
            return None
        with open(path, encoding="utf-8", errors="replace") as text:
            return text.readline().strip() == _identity(compiler) and text.readline().strip()
    except OSError:
        return None


def _identity(compiler):
    return f"{os.path.realpath(compiler)} {os.stat(compiler).st_mtime_ns}"


def _folder_for(recipe):
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    content = hashlib.sha256()
    public = os.path.join(include_folder(), "lockstep")
    headers = [os.path.join(public, name) for name in ("payload.h", "recorder.h")]
    for path in [*recipe.sources((".cc", ".h")), *headers]:
        with open(path, "rb") as file:
            content.update(file.read())
    content.update(recipe.identity.encode())
    return os.path.join(cache, "lockstep", recipe.framework, f"{recipe.version}-{content.hexdigest()[:16]}")


def _build(recipe, library, compiler):
    command = [compiler, "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra",
               "-I", recipe.sources_folder, "-I", include_folder(), *recipe.flags(), "-x", "c++", "-", "-x", "none",
               *recipe.libraries()]
    # One translation unit: the framework's headers are what takes the time.
    unit = "".join(f'#include "{path}"\n' for path in recipe.sources(".cc"))
    with tempfile.TemporaryDirectory(prefix="build-", dir=os.path.dirname(library)) as folder:
        built = os.path.join(folder, recipe.file_name)
        try:
            done = subprocess.run([*command, "-o", built], input=unit, capture_output=True, text=True, timeout=LIMIT_S,
                                  env=_compiler_environment(folder))
        except subprocess.TimeoutExpired as error:
            raise BuildError(f"the compiler took more than {LIMIT_S} s") from error
        if done.returncode != 0:
            raise BuildError(_first_error(done.stderr))
        _write_whole(os.path.join(os.path.dirname(library), "warnings"), done.stderr.encode())
        os.replace(built, library)


def find_compiler():
    for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise NoCompiler("there is no C++ compiler")


def _compiler_environment(folder):
    """The compiler is no part of the job: it is not recorded, and its temporary files go with the build."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"} | {"TMPDIR": folder}


def feature_flags(headers, features):
    """For calls that some versions have and some have not: {header: names}, as -DLOCKSTEP_HAS_name."""
    flags = []
    for header, names in features.items():
        with open(os.path.join(headers, header), encoding="utf-8") as file:
            text = file.read()
        flags += [f"-DLOCKSTEP_HAS_{name}" for name in names if re.search(rf"\s{name}[(,]", text)]
    return flags


def loaded_libraries(pattern):
    """The very files that are loaded, whatever they are called here."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
    return sorted(path for path in paths if re.match(pattern, os.path.basename(path)))


def _first_error(text):
    lines = [line for line in text.splitlines() if "error" in line] or text.splitlines() or ["the compiler failed"]
    return lines[0]


def _write_whole(path, content):
    part = f"{path}.{os.getpid()}.part"
    with contextlib.suppress(OSError):
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path)
