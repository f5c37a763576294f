"""Where small things are usually found in a home, from habits.yaml."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from semantic_nav_sim.world.sources import table_beside

FLOOR = 'floor'


@dataclass(frozen=True)
class Habit:
    """Where things of one kind are usually found.

    Attributes:
        kind: of the things.
        supports: kinds of furniture, or FLOOR.
        rooms: kinds of rooms; none: any.
        chance: that there is one, beyond those that must be.
        surface: of the support; None: 'top', or its only one.
        most: how many.
        word: the look that they have; None: any.
    """

    kind: str
    supports: tuple[str, ...]
    rooms: tuple[str, ...] = ()
    chance: float = 1.0
    surface: str | None = None
    most: int = 1
    word: str | None = None


def _supports(words: Iterable[str]) -> tuple[str, ...]:
    """Return kinds of furniture, groups of them taken apart."""
    return tuple(kind for word in words for kind in _TABLE['groups'].get(word, (word,)))


def _habit(kind: str, supports: Iterable[str], rooms: Iterable[str] = (), **entry: Any) -> Habit:
    return Habit(kind, _supports(supports), tuple(rooms), **entry)


_TABLE = table_beside(__file__)
#: What stands on the floor comes first: it takes the robot's way.
HABITS = tuple(_habit(**entry) for entry in _TABLE['habits'])
ROAMING_SUPPORTS = _supports(_TABLE['roaming_supports'])
#: What is found elsewhere from mission to mission, and in how many places at most.
ROAMING = tuple(_habit(supports=ROAMING_SUPPORTS, **entry) for entry in _TABLE['roaming'])
