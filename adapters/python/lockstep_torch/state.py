"""What a rank has learned by the end of a step: its parameters and the state of its optimizer, summed one by one.
Sums of what collectives are given miss a drift that is too small to change them at once."""

import sys

from lockstep_python.names import free_name
from lockstep_torch.state_sums import StateSums

MOST_FRAMES = 64
MOST_LETTERS, MOST_PARTS = 900, 200


class State:
    def __init__(self, library, native):
        self._library, self._sums = library, StateSums(library, native)
        self._names = None  # once looked for: id of a parameter: its name in a module of the script

    def keep(self, optimizer, step):
        try:
            if self._names is None:
                self._names = {}
                self._names = _names_in_script(sys._getframe(2))
                self._tell_sizes(optimizer)
            tensors = self._tensors(optimizer)
        except Exception as error:
            self._sums.keep_none(step, error)
            return
        self._sums.keep(step, tensors)

    def learned(self, optimizer):
        return {"parameters": self._parameters(optimizer)}

    def _parameters(self, optimizer):
        """By their names, as the script's modules have them."""
        taken = set()
        every = (parameter for group in optimizer.param_groups for parameter in group["params"])
        return {free_name(self._names.get(id(parameter)) or f"parameter {number}", taken): parameter
                for number, parameter in enumerate(every)}

    def _tell_sizes(self, optimizer):
        """So that a bucket of gradients can be told by its size. Attributes take about a thousand letters."""
        parts = [""]
        for name, parameter in self._parameters(optimizer).items():
            line = f"{name} {parameter.numel()}\n"
            if len(parts[-1]) + len(line) > MOST_LETTERS:
                parts.append("")
            parts[-1] += line
        for number, part in enumerate(parts[:MOST_PARTS]):
            self._library.set_attribute(f"parameters {number}", part)

    def _tensors(self, optimizer):
        """Parameters and what the optimizer keeps of each; of a sharded one the part that is here."""
        named = []
        for name, parameter in self._parameters(optimizer).items():
            kept = optimizer.state.get(parameter, {}).items()
            named += [(name, parameter), *((f"{name} {key}", value) for key, value in kept if hasattr(value, "data_ptr"))]
        return [(name, getattr(tensor, "_local_tensor", tensor)) for name, tensor in named]


def _names_in_script(frame):
    """The names of parameters of the modules that the functions under way know."""
    import torch
    names = {}
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        values = list(frame.f_locals.values())
        for value in values + [inner for value in values for inner in list(getattr(value, "__dict__", {}).values())[:100]]:
            if isinstance(value, torch.nn.Module):
                for name, parameter in value.named_parameters():
                    known = names.get(id(parameter))
                    if known is None or len(name) > len(known):
                        names[id(parameter)] = name
        frame = frame.f_back
    return names
