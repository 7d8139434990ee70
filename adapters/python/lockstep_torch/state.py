"""What a rank has learned by the end of a step: its parameters and the state of its optimizer, summed one by one.
Sums of what collectives are given miss a drift that is too small to change them at once."""

import sys

from lockstep_python import notes

MOST_FRAMES = 64
MOST_LETTERS, MOST_PARTS = 900, 200


class State:
    def __init__(self, library, native):
        self._library, self._native = library, native
        self._names = None  # once looked for: id of a parameter: its name in a module of the script
        self._text = (None, b"")  # the names of the last step, joined once

    def keep(self, optimizer, step):
        try:
            if self._names is None:
                self._names = {}
                self._names = _names_in_script(sys._getframe(2))
                self._tell_sizes(optimizer)
            names, tensors = self._tensors(optimizer)
            if self._is_on_device(tensors) and self._native.keep_state(step, "\n".join(names), tensors):
                return
            self._keep_on_host(step, names, tensors)
        except Exception as error:
            notes.tell(f"the state after step {step} is not summed: {error!r}")
            self._library.keep_state(step, b"", [])

    def parameters(self, optimizer):
        """By their names, as the script's modules have them."""
        every = (parameter for group in optimizer.param_groups for parameter in group["params"])
        return {self._names.get(id(parameter)) or f"parameter {number}": parameter
                for number, parameter in enumerate(every)}

    def _tell_sizes(self, optimizer):
        """So that a bucket of gradients can be told by its size. Attributes take about a thousand letters."""
        parts = [""]
        for name, parameter in self.parameters(optimizer).items():
            line = f"{name} {parameter.numel()}\n"
            if len(parts[-1]) + len(line) > MOST_LETTERS:
                parts.append("")
            parts[-1] += line
        for number, part in enumerate(parts[:MOST_PARTS]):
            self._library.set_attribute(f"parameters {number}", part)

    def _is_on_device(self, tensors):
        return self._native is not None and any(tensor.device.type != "cpu" for tensor in tensors)

    def _keep_on_host(self, step, names, tensors):
        readable = [(name, tensor) for name, tensor in zip(names, tensors) if tensor.device.type == "cpu"]
        key = tuple(name for name, _ in readable)
        if self._text[0] != key:
            self._text = key, "\n".join(key).encode(errors="replace")
        pieces = [(tensor.data_ptr(), tensor.numel() * tensor.element_size()) for _, tensor in readable]
        self._library.keep_state(step, self._text[1], pieces)

    def _tensors(self, optimizer):
        names, tensors = [], []

        def add(name, tensor):
            tensor = getattr(tensor, "_local_tensor", tensor)
            if str(tensor.layout) == "torch.strided" and tensor.is_contiguous():
                names.append(name)
                tensors.append(tensor)

        number = 0
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                name = self._names.get(id(parameter)) or f"parameter {number}"
                add(name, parameter)
                for key, value in optimizer.state.get(parameter, {}).items():
                    if hasattr(value, "data_ptr"):
                        add(f"{name} {key}", value)
                number += 1
        return names, tensors


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
