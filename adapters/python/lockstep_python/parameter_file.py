"""Parameters as a file for a command (lockstep replay --bisect-command): for torch.load where they are PyTorch's, else for
numpy.load."""

import sys
import zipfile


def write(parameters, path):
    if parameters and all(hasattr(parameter, "detach") for parameter in parameters.values()):
        sys.modules["torch"].save({name: parameter.detach() for name, parameter in parameters.items()}, path)
    elif parameters:
        _write_arrays(parameters, path)


def _write_arrays(parameters, path):
    """As numpy.savez does, which knows no array called `file`. What NumPy has no type for, such as bfloat16, is widened."""
    import numpy
    with zipfile.ZipFile(path, "w") as archive:
        for name, parameter in parameters.items():
            array = numpy.asarray(parameter)
            if array.dtype.kind == "V":
                array = array.astype(numpy.float32)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                numpy.lib.format.write_array(file, array, allow_pickle=False)
