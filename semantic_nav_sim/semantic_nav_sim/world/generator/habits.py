"""Usual places of small things in a home, from habits.yaml."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from semantic_nav_sim.world.sources import table_beside

FLOOR = 'floor'


@dataclass(frozen=True)
class Habit:
    """Usual places of things of one kind.

    Attributes:
        kind: of the things.
        supports: kinds of furniture, or FLOOR.
        rooms: kinds of rooms; empty for any.
        chance: probability of one, beyond the required ones.
        surface: of the support; None for 'top', or its only one.
        most: largest number of them.
        word: of their look; None for any.
    """

    kind: str
    supports: tuple[str, ...]
    rooms: tuple[str, ...] = ()
    chance: float = 1.0
    surface: str | None = None
    most: int = 1
    word: str | None = None


def _supports(words: Iterable[str]) -> tuple[str, ...]:
    """Expand groups into kinds of furniture."""
    return tuple(kind for word in words for kind in _TABLE['groups'].get(word, (word,)))


def _habit(kind: str, supports: Iterable[str], rooms: Iterable[str] = (), **entry: Any) -> Habit:
    return Habit(kind, _supports(supports), tuple(rooms), **entry)


_TABLE = table_beside(__file__)
#: Things on the floor come first, since they block the robot's way.
HABITS = tuple(_habit(**entry) for entry in _TABLE['habits'])
ROAMING_SUPPORTS = _supports(_TABLE['roaming_supports'])
#: Things whose place changes from mission to mission, with their largest number of places.
ROAMING = tuple(_habit(supports=ROAMING_SUPPORTS, **entry) for entry in _TABLE['roaming'])
