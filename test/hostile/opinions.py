"""Yes, no, or too near to an edge to tell."""

from collections.abc import Iterable

#: True for yes, False for no, None for too near to an edge to tell.
Opinion = bool | None

#: Lengths that are equal but for rounding, in metres.
ROUNDING_M = 1e-6


def every(opinions: Iterable[Opinion]) -> Opinion:
    """Return whether all are yes."""
    unsure = False
    for one in opinions:
        if one is False:
            return False
        unsure = unsure or one is None
    return None if unsure else True


def some(opinions: Iterable[Opinion]) -> Opinion:
    """Return whether any is yes."""
    unsure = False
    for one in opinions:
        if one:
            return True
        unsure = unsure or one is None
    return None if unsure else False


def one_voice(opinions: Iterable[Opinion]) -> Opinion:
    """Return what all of them say; None where they differ."""
    said: list[Opinion] = []
    for one in opinions:
        if one is None or (said and one is not said[0]):
            return None
        said.append(one)
    return said[0] if said else None


def at_most(value: float, limit: float, slack: float = ROUNDING_M) -> Opinion:
    """Return whether a value is at most a limit."""
    return None if abs(value - limit) <= slack else value < limit


def contrary(opinion: Opinion) -> Opinion:
    """Return the opposite."""
    return None if opinion is None else not opinion
