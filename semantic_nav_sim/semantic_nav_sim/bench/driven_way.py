"""The way that a robot truly drove, and how often it led from one room to another."""

import math
from collections.abc import Callable, Sequence

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.world.description import Room

#: How often it is noted, in the time of the mission, and what is too short a way to note.
NOTE_S = 0.25
_STEP_M = 0.1
#: So far inside a room, about its radius, the robot has truly left the one before.
_INSIDE_M = 0.2

Point = tuple[float, float]


class DrivenWay:
    """Notes where a robot truly is.

    Attributes:
        points: in the map, metres, the start first.
    """

    def __init__(self, start: Pose2D, where: Callable[[], Pose2D]) -> None:
        """Begin at a pose, and ask where the robot truly is."""
        self._where = where
        self.points: list[Point] = [(round(start.x, 2), round(start.y, 2))]

    def note(self) -> None:
        """Note where it is now, if it has moved."""
        pose = self._where()
        point = round(pose.x, 2), round(pose.y, 2)
        if math.dist(point, self.points[-1]) >= _STEP_M:
            self.points.append(point)


def room_crossings(points: Sequence[Point], rooms: Sequence[Room]) -> int:
    """Return how often a way leads from one room into another.

    Whoever stands in a doorway and turns is in the room that he came from.
    """
    count, inside = 0, None
    for point in points:
        room = next((one for one in rooms if _is_inside(one, point)), None)
        if room is not None and room is not inside:
            count += inside is not None
            inside = room
    return count


def _is_inside(room: Room, point: Point) -> bool:
    return all(low + _INSIDE_M <= value <= high - _INSIDE_M
               for low, high, value in zip(room.low, room.high, point, strict=True))
