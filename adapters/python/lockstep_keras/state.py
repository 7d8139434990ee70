"""What a fit has learned by the end of a step: on TensorFlow all that its adapter knows of; on PyTorch the variables of the model
and of its optimizer, by their paths in the model."""

import functools

from lockstep_python.names import free_name


class State:
    def __init__(self, library, model):
        """`model`: a function that gives it."""
        self._library, self._model = library, model

    def keep(self, step):
        self._below.keep(step)

    def learned(self):
        return self._below.learned()

    @functools.cached_property
    def _below(self):
        """What Keras runs on shows in the variables, which a model has by the end of its first step."""
        if _is_on_torch(self._model()):
            return _TorchState(self._library, self._model)
        from lockstep_tensorflow.state import State as TensorflowState
        return TensorflowState(self._library)


class _TorchState:
    def __init__(self, library, model):
        from lockstep_torch import rank_start
        from lockstep_torch.state_sums import StateSums
        self._model = model
        session = rank_start.session()
        self._sums = StateSums(library, session.native if session is not None else None)

    def keep(self, step):
        try:
            named = [(name, variable._value) for name, variable in self._variables().items()]
        except Exception as error:
            self._sums.keep_none(step, error)
            return
        self._sums.keep(step, named)

    def learned(self):
        every = self._variables()
        return {"parameters": {name: variable._value for name, variable in every.items() if variable.trainable},
                "variables": {name: variable._value for name, variable in every.items()}}

    def _variables(self):
        """The second of a path is 'PATH #2'."""
        model, taken = self._model(), set()
        every = [*model.variables, *getattr(getattr(model, "optimizer", None), "variables", [])]
        return {free_name(variable.path, taken): variable for variable in {id(one): one for one in every}.values()}


def _is_on_torch(model):
    """A model that was never built has no variables, and some say so by an error."""
    try:
        variables = model.variables
    except Exception:
        return False
    return any(hasattr(getattr(variable, "_value", None), "data_ptr") for variable in variables[:1])
