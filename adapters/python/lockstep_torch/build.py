"""How the native half is built for the PyTorch of this process.

    python -m lockstep_torch.build          builds for this Python's PyTorch and prints the path
"""

import os
import re
import sys

from lockstep_python import native_build
from lockstep_python.native_build import BuildError, Recipe

# Calls that some versions have and some have not, and the header that tells.
_FEATURES = {
    "torch/csrc/distributed/c10d/Work.hpp": ("getDuration", "getSequencenumber", "getFutureResult", "blockCurrentStream"),
    "torch/csrc/distributed/c10d/ProcessGroup.hpp": ("getGroupName",),
    "c10/core/Stream.h": ("native_handle",),
    "ATen/core/ivalue_inl.h": ("uses_future",),
}


def library_for(torch):
    """The path of the library, built when it is not there."""
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    return native_build.library_for(_recipe(torch.__version__, abi, torch.__file__, lambda: _flags(torch)))


def how_for(version, module_file):
    """As native_build.how_for, without importing PyTorch, which alone knows by which of the two ABIs it was compiled."""
    return native_build.how_for([_recipe(version, abi, module_file, lambda: []) for abi in (0, 1)])


def _recipe(version, abi, module_file, flags):
    minor = native_build.minor_version(version)
    return Recipe("pytorch", f"{version}-{abi}", os.path.realpath(module_file), flags, _torch_libraries,
                  known_as=minor and f"{minor}-abi{abi}")


def _header_folder(torch):
    for folder in (os.path.join(os.path.dirname(torch.__file__), "include"), "/usr/include"):
        if os.path.exists(os.path.join(folder, "torch/csrc/distributed/c10d/ProcessGroup.hpp")):
            return folder
    raise BuildError("PyTorch's headers are not installed")


def _flags(torch):
    headers = _header_folder(torch)
    major, minor = (int(part) for part in re.match(r"(\d+)\.(\d+)", torch.__version__).groups())
    version = 100 * major + minor
    flags = ["-std=c++20" if version >= 210 else "-std=c++17", f"-DLOCKSTEP_TORCH_VERSION={version}",
             f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"]
    if headers != "/usr/include":
        flags += ["-isystem", headers, "-isystem", os.path.join(headers, "torch/csrc/api/include")]
    return flags + native_build.feature_flags(headers, _FEATURES)


def _torch_libraries():
    found = native_build.loaded_libraries(r"lib(torch_cpu|c10)\.so")
    if len(found) != 2:
        raise BuildError("libtorch_cpu and libc10 are not loaded as libraries of their own")
    return found


if __name__ == "__main__":
    import torch as _torch
    print(library_for(_torch))
    sys.exit(0)
