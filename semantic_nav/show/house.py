"""The plan of a home: its rooms and doorways."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rectangle:
    """A rectangle along the axes of the map frame, in m.

    Attributes:
        x0, y0: its lower left corner.
        x1, y1: its upper right corner.
        name: of the room; empty for a doorway.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    name: str = ''


@dataclass(frozen=True)
class House:
    """The parts of a home that a map names or marks."""

    rooms: Sequence[Rectangle] = ()
    doorways: Sequence[Rectangle] = ()

    @classmethod
    def of(cls, world: Mapping[str, Any]) -> 'House':
        """The house of a world, by its ground truth."""
        def corners(part: Mapping[str, Any]) -> tuple[float, float, float, float]:
            return part['x0'], part['y0'], part['x1'], part['y1']

        return cls(tuple(Rectangle(*corners(room), room['kind']) for room in world['rooms']),
                   tuple(Rectangle(*corners(door)) for door in world['doorways']))
