"""What ran and where, for whoever compares two runs: the script's own files, versions and the platform, as attributes of
the rank's record."""

import hashlib
import os
import platform
import re
import sys

MOST_FILES = 64
LIBRARIES = ("numpy", "torchvision", "transformers", "lightning", "deepspeed", "keras")


def tell(library, torch):
    for name, path in _files_of_program():
        with open(path, "rb") as file:
            library.set_attribute(f"program {name}", hashlib.sha256(file.read()).hexdigest()[:16])
    library.set_attribute("library python", platform.python_version())
    for name in LIBRARIES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            library.set_attribute(f"library {name}", str(version))
    library.set_attribute("platform threads", str(torch.get_num_threads()))
    capability = re.search(r"CPU capability usage: (.+)", torch.__config__.show())
    if capability:
        library.set_attribute("platform instruction set", capability.group(1).strip())
    library.set_attribute("platform processor", _processor())


def _files_of_program():
    """The script, and what it imported from its own folder by now."""
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    if not script:
        return []
    folder = os.path.dirname(os.path.abspath(script))
    paths = {os.path.abspath(path) for path in (getattr(module, "__file__", None) for module in list(sys.modules.values()))
             if isinstance(path, str) and path.endswith(".py")}
    own = sorted(path for path in paths if path.startswith(folder + os.sep) and "site-packages" not in path)
    return [(os.path.relpath(path, folder), path) for path in own[:MOST_FILES] if os.path.isfile(path)]


def _processor():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), platform.machine())
