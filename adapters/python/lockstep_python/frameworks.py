"""Which modules of which framework are watched, and who is told once one of them has been imported."""

import importlib

# module of the framework: (our module, its function that is called with the framework's)
WATCHED = {
    "torch.distributed.rendezvous": ("lockstep_torch.rank_start", "watch_rendezvous"),
    "torch.distributed.distributed_c10d": ("lockstep_torch.groups", "watch_groups"),
    "tensorflow.python.eager.context": ("lockstep_tensorflow.rank_start", "watch_context"),
    "tensorflow.python.training.server_lib": ("lockstep_tensorflow.rank_start", "watch_server"),
    "tensorflow.python.ops.resource_variable_ops": ("lockstep_tensorflow.variables", "watch"),
    "tensorflow.python.distribute.cross_device_utils": ("lockstep_tensorflow.variables", "watch_launchers"),
    "keras.src.backend.tensorflow.core": ("lockstep_tensorflow.variables", "watch_keras"),  # Keras 3
    "keras.src.callbacks.callback_list": ("lockstep_keras.callbacks", "watch"),  # Keras 3
    "tf_keras.src.callbacks": ("lockstep_keras.callbacks", "watch"),  # Keras 2 beside Keras 3
    "keras.src.callbacks": ("lockstep_keras.callbacks", "watch"),  # Keras 2.13 to 2.15; ModelCheckpoint of 3
    "keras.callbacks": ("lockstep_keras.callbacks", "watch"),  # Keras 2 before that
    "jax._src.distributed": ("lockstep_python.not_hooked", "watch_jax"),
    "horovod.runner.gloo_run": ("lockstep_horovod.elastic", "watch_launcher"),
    "horovod.torch.mpi_ops": ("lockstep_horovod.torch_binding", "watch"),
    "horovod.tensorflow.mpi_ops": ("lockstep_horovod.tensorflow_binding", "watch"),
}


def watch():
    from lockstep_python import import_watch
    for module, (ours, function) in WATCHED.items():
        import_watch.after_import(module, _Call(ours, function))
    import_watch.begin()


class _Call:
    """Our module is imported only when its framework was."""

    def __init__(self, module, function):
        self._module, self._function = module, function

    def __call__(self, framework_module):
        getattr(importlib.import_module(self._module), self._function)(framework_module)
