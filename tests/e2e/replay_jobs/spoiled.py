"""A job of the lab whose model is changed once, when it has told a step: spoiled.py SCRIPT STEP VALUE.

The first trainable variable of the model, or of the script's list of variables, becomes VALUE in all its elements."""

import pathlib
import runpy
import sys

SCRIPT, STEP, VALUE = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
sys.path.insert(0, str(pathlib.Path(SCRIPT).parent))
import report

tell = report.step


def first_variable(names):
    model = names.get("model") or getattr(names.get("self"), "model", None)
    return model.trainable_variables[0] if model is not None else names["variables"][0]


def step(rank, number, loss):
    tell(rank, number, loss)
    if number == STEP:
        variable = first_variable(sys._getframe(1).f_locals)
        variable.assign(variable * 0 + VALUE)


report.step = step
runpy.run_path(SCRIPT, run_name="__main__")
