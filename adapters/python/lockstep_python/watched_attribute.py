"""An attribute of a class of others, of which is told when it is set. Unlike a function in front of theirs it leaves no frame of ours
in their tracebacks."""


class WatchedAttribute:
    def __init__(self, name, when_set):
        """`when_set` takes the object and the value."""
        self._name, self._when_set = name, when_set

    def __get__(self, owner, kind=None):
        if owner is None:
            return self
        try:
            return owner.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, owner, value):
        owner.__dict__[self._name] = value
        self._when_set(owner, value)
