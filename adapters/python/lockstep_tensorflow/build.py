"""How the native half is built for the TensorFlow of this process.

    python -m lockstep_tensorflow.build          builds for this Python's TensorFlow and prints the path
"""

import os
import sys

from lockstep_python import native_build
from lockstep_python.native_build import BuildError, Recipe

_FEATURES = {"tensorflow/core/framework/collective.h": ("REDUCE_SCATTER_COLLECTIVE",)}


def library_for(sysconfig, version):
    """The path of the library, built when it is not there."""
    headers = sysconfig.get_include()
    return native_build.library_for(_recipe(version, headers, lambda: _flags(sysconfig, headers)))


def how_for(version, module_file):
    """As native_build.how_for, without importing TensorFlow."""
    return native_build.how_for([_recipe(version, os.path.join(os.path.dirname(module_file), "include"), lambda: [])])


def _recipe(version, headers, flags):
    return Recipe("tensorflow", version, os.path.realpath(headers), flags, _framework,
                  known_as=native_build.minor_version(version))


def _flags(sysconfig, headers):
    if not os.path.exists(os.path.join(headers, "tensorflow/core/common_runtime/base_collective_executor.h")):
        raise BuildError("TensorFlow's headers are not installed")
    own = [flag for flag in sysconfig.get_compile_flags() if not flag.startswith("-I")]
    # As TensorFlow itself was compiled; its classes must be laid out alike.
    return ["-std=c++17", *own, "-DNDEBUG", "-isystem", headers, *native_build.feature_flags(headers, _FEATURES)]


def _framework():
    found = native_build.loaded_libraries(r"libtensorflow_framework\.so")
    if len(found) != 1:
        raise BuildError("libtensorflow_framework is not loaded as a library of its own")
    return found


if __name__ == "__main__":
    import tensorflow as _tensorflow
    print(library_for(_tensorflow.sysconfig, _tensorflow.__version__))
    sys.exit(0)
