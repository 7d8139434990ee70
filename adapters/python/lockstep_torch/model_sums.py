"""With checksums: whether ranks still have the same model. What collectives give is the same on all ranks even where weights
have drifted apart, so of a model that DistributedDataParallel or Horovod keeps equal the parameters are summed once a step, and
the buffers that nobody synchronises. Of several models the first one counts."""

import weakref

from lockstep_python import checksums, notes, recorder


class ModelSums:
    """DDP's model is summed before it computes again: some optimizers hand parameters round after their step."""

    def __init__(self, library, torch):
        self._library, self._sums = library, checksums.Checksums()
        self._ddp = torch.nn.parallel.DistributedDataParallel
        self._is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
        self._leader = lambda: None
        self._open_step = 0  # the step after which nothing was summed yet
        torch.nn.modules.module.register_module_forward_pre_hook(self._before_forward)

    def after_step(self, optimizer, step):
        self._open_step = step
        if _is_of_horovod(optimizer):
            self._sum(lambda: (self._horovods(optimizer), _parameters_in(optimizer), []))

    def _before_forward(self, module, _):
        if not isinstance(module, self._ddp) or self._is_compiling():
            return
        if self._leader() is None:
            self._leader = weakref.ref(module)
        if self._leader() is module and self._open_step:
            self._sum(lambda: (_group_of(self._library, module), _equal_parameters(module), _lone_buffers(module)))

    def _sum(self, what):
        step, self._open_step = self._open_step, 0
        try:
            communicator, parameters, buffers = what()
            places = checksums.places_of(parameters)
            if places:
                self._sums.note_state(communicator, step, places, checksums.places_of(buffers))
        except Exception as error:
            notes.tell(f"the model after step {step} is not summed: {error!r}")

    def _horovods(self, optimizer):
        ranks = optimizer.process_set
        facts = recorder.communicator_facts(f"horovod parameters of process set {ranks.process_set_id}", "", "", list(ranks.ranks),
                                            ranks.rank())
        return self._library.define_communicator(facts)


def _is_of_horovod(optimizer):
    """Adasum's has no process set: it averages otherwise."""
    return hasattr(optimizer, "_allreduce_grad_async") and getattr(optimizer, "process_set", None) is not None


def _parameters_in(optimizer):
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _group_of(library, module):
    from lockstep_torch import groups
    return groups.communicator(library, module.process_group)


def _equal_parameters(module):
    ignored = getattr(module, "parameters_to_ignore", ())
    return [parameter for name, parameter in module.module.named_parameters()
            if name not in ignored and not hasattr(parameter, "_local_tensor")]


def _lone_buffers(module):
    """Those that are saved with the model, where DDP was told not to hand them round."""
    if getattr(module, "broadcast_buffers", True):
        return []
    return [buffer for part in module.module.modules() for name, buffer in part._buffers.items()
            if buffer is not None and name not in part._non_persistent_buffers_set and buffer.is_floating_point()]
