"""Names that several things have."""

import itertools


def free_name(wanted, taken):
    """Of things with one name the second is 'NAME #2'. What is given joins `taken`."""
    numbered = (f"{wanted} #{number}" for number in itertools.count(2))
    name = next(name for name in itertools.chain([wanted], numbered) if name not in taken)
    taken.add(name)
    return name
