"""The group of a replay under PyTorch 1, which has no backend that does nothing. Its operations are served before they
reach it; those that such a PyTorch hands to the group itself are refused by name."""

BACKEND = "lockstep_idle"


def register(c10d):
    if hasattr(c10d.Backend, BACKEND.upper()):
        return
    kind = _kind(c10d.ProcessGroup)
    c10d.Backend.register_backend(BACKEND, lambda store, rank, size, timeout: kind(rank, size))


def _kind(base):
    class IdleGroup(base):
        """Must not call itself gloo or nccl: DDP's logger takes such a name for the class."""

        def getBackendName(self):
            return BACKEND

        def _set_sequence_number_for_group(self):
            """Nobody counts."""

    return IdleGroup


def refuse(operation):
    """In the place of a method that no operation of the dispatcher stands behind."""
    def refused(self, *_, **__):
        raise RuntimeError(f"lockstep replay: this PyTorch does not dispatch c10d.{operation}, so its result is not in the "
                           "recording; PyTorch 2 does")

    return refused
