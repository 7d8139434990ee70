"""Frameworks whose communication nobody here sees: a job of theirs is told about, once, and runs on.

JAX compiles its collectives into programs; on GPUs they are NCCL's, which the NCCL adapter records."""

from lockstep_python import notes

JAX = "JAX is not hooked: collectives that it runs over NCCL are recorded, those on CPUs and TPUs are not"


class _Client:
    """The attribute that holds the client of JAX's coordination service: a process that has one is a rank of several."""

    def __init__(self, otherwise):
        self._otherwise = otherwise

    def __get__(self, state, kind=None):
        return self._otherwise if state is None else state.__dict__.get("client", self._otherwise)

    def __set__(self, state, client):
        state.__dict__["client"] = client
        if client is not None:
            notes.tell_without_record(JAX)


def watch_jax(distributed):
    distributed.State.client = _Client(distributed.State.client)
