"""Sums of tensors at the end of a step, one by one: on the device where they lie there, else on the host."""

from lockstep_python import notes


class StateSums:
    def __init__(self, library, native):
        self._library, self._native = library, native
        self._text = (None, b"")  # the names of the last step, joined once

    def keep(self, step, named):
        """`named`: a list of (name, tensor)."""
        try:
            whole = [(name, tensor) for name, tensor in named if _lies_in_one_piece(tensor)]
            if not self._keep_on_device(step, whole):
                self._keep_on_host(step, [(name, tensor) for name, tensor in whole if tensor.device.type == "cpu"])
        except Exception as error:
            self.keep_none(step, error)

    def keep_none(self, step, error):
        notes.tell(f"the state after step {step} is not summed: {error!r}")
        self._library.keep_state(step, b"", [])

    def _keep_on_device(self, step, named):
        if self._native is None or all(tensor.device.type == "cpu" for _, tensor in named):
            return False
        return self._native.keep_state(step, "\n".join(name for name, _ in named), [tensor for _, tensor in named])

    def _keep_on_host(self, step, named):
        key = tuple(name for name, _ in named)
        if self._text[0] != key:
            self._text = key, "\n".join(key).encode(errors="replace")
        self._library.keep_state(step, self._text[1],
                                 [(tensor.data_ptr(), tensor.numel() * tensor.element_size()) for _, tensor in named])


def _lies_in_one_piece(tensor):
    return str(tensor.layout) == "torch.strided" and tensor.is_contiguous()
