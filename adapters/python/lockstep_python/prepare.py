"""Run by `lockstep run` with the job's interpreter before the job starts: builds what must be compiled for the frameworks
that the command will use, so that no rank waits for a compiler.

    python prepare.py CMD...

Each line of the output: what happened ("used", "building", "built" or "none"), framework, version and, for "none", why, else
where its native half is from ("prebuilt recorder", "compiled recorder"), with tabs between them. Nothing of a framework is
imported unless something of it has to be built."""

import os
import sys

# This folder's modules are not meant to be found by their short names. Where Python was told to be safe (-P), it is not there.
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:] = [place for place in sys.path if os.path.realpath(place) != HERE]

import ast
import importlib.metadata
import importlib.util
import re
import signal

MOST_FILES = 200  # of the script and what it imports from beside it
MOST_BYTES = 1 << 20  # of one of them: a script, and not data
TORCH_LAUNCHERS = {"torchrun", "torch.distributed.run", "torch.distributed.launch", "accelerate", "deepspeed"}
MPI_LAUNCHERS = {"mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun"}

# What a script imports, and the framework that communicates for it.
FRAMEWORK_OF = {
    "torch": "torch", "lightning": "torch", "pytorch_lightning": "torch", "lightning_fabric": "torch",
    "accelerate": "torch", "transformers": "torch", "deepspeed": "torch", "trl": "torch", "fairscale": "torch",
    "tensorflow": "tensorflow", "tf_keras": "tensorflow", "horovod": "horovod", "mpi4py": "MPI", "jax": "jax",
}


def main(command):
    report = _Report()
    for name in sorted(frameworks_of(command)):
        try:
            _prepare(name, report)
        except Exception:  # an installation that is broken: nothing is known of it, and the others are prepared
            pass


class _Report:
    """On the first standard output, whatever a framework prints while it is imported."""

    def __init__(self):
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
        os.dup2(2, 1)

    def tell(self, *words):
        self._file.write("\t".join(re.sub(r"\s+", " ", word) for word in words) + "\n")
        self._file.flush()


def frameworks_of(command):
    names = {os.path.basename(word) for word in command}
    found = {"torch"} if names & TORCH_LAUNCHERS else set()
    if "horovodrun" in names:
        found.add("horovod")
    if names & MPI_LAUNCHERS:
        found.add("MPI")
    script = _script_of(command)
    return found | {FRAMEWORK_OF[name] for name in _imported_by(script) if name in FRAMEWORK_OF} if script else found


def _script_of(command):
    for word, following in zip(command, [*command[1:], ""]):
        if word in ("-m", "--module") and following and following not in TORCH_LAUNCHERS:
            place = following.replace(".", os.sep)
            for path in (place + ".py", os.path.join(place, "__main__.py")):
                if os.path.isfile(path):
                    return path
        if word.endswith(".py") and os.path.isfile(word):
            return word
    return ""


def _imported_by(script):
    """The packages that it names, and those of the modules beside it that it names. A file that cannot be read names none."""
    folder, names, waiting, seen = os.path.dirname(script), set(), [script], set()
    while waiting and len(seen) < MOST_FILES:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in _imports_in(path):
            names.add(name.partition(".")[0])
            beside = os.path.join(folder, name.replace(".", os.sep))
            waiting += [place for place in (beside + ".py", os.path.join(beside, "__init__.py")) if os.path.isfile(place)]
    return names


def _imports_in(path):
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(MOST_BYTES))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _prepare(name, report):
    if name == "MPI":
        return report.tell("used", "MPI", "")
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.origin:
        return None
    version = _version(name, spec.origin)
    if name not in ("torch", "tensorflow"):
        return report.tell("used", {"horovod": "Horovod", "jax": "JAX"}[name], version)
    title = {"torch": "PyTorch", "tensorflow": "TensorFlow"}[name]
    build = importlib.import_module(f"lockstep_{name}.build")
    how = build.how_for(version, spec.origin)
    if how:
        return report.tell("used", title, version, how)
    from lockstep_python import native_build
    try:
        native_build.find_compiler()
        report.tell("building", title, version)
        framework = importlib.import_module(name)
        of_framework = (framework,) if name == "torch" else (framework.sysconfig, framework.__version__)
        build.library_for(*of_framework)
        report.tell("built", title, version, "compiled recorder")
    except Exception as error:  # the job runs all the same, and is recorded without it
        report.tell("none", title, version, native_build.what_helps(error))
    return None


def _version(name, module_file):
    """As the framework's `__version__` gives it, without importing it."""
    try:
        with open(os.path.join(os.path.dirname(module_file), "version.py"), encoding="utf-8") as file:
            found = re.search(r"^__version__ = ['\"]([^'\"]+)['\"]", file.read(), re.MULTILINE)
        if found:
            return found[1]
    except OSError:
        pass
    for package in importlib.metadata.packages_distributions().get(name, []) if sys.version_info >= (3, 10) else [name]:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return ""


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what is half built is removed
    main(sys.argv[1:])
