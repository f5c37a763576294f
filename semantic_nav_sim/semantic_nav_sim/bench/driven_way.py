"""The true way of the robot, and how often it led from one room to another."""

import math
from collections.abc import Callable, Sequence

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.world.description import Room

#: Sampling period in simulated time, and the least distance between two points, in metres.
NOTE_S = 0.25
_STEP_M = 0.1
#: Distance inside a room, about the robot's radius, from which the robot has left the last room.
_INSIDE_M = 0.2

Point = tuple[float, float]


class DrivenWay:
    """Recorder of the robot's true positions.

    Attributes:
        points: in the map frame, in metres, the start first.
    """

    def __init__(self, start: Pose2D, where: Callable[[], Pose2D]) -> None:
        """Begin at a pose; `where` returns the robot's true pose."""
        self._where = where
        self.points: list[Point] = [(round(start.x, 2), round(start.y, 2))]

    def note(self) -> None:
        """Record the position, if the robot has moved."""
        pose = self._where()
        point = round(pose.x, 2), round(pose.y, 2)
        if math.dist(point, self.points[-1]) >= _STEP_M:
            self.points.append(point)


def room_crossings(points: Sequence[Point], rooms: Sequence[Room]) -> int:
    """Number of times that a way leads from one room into another.

    A robot that turns in a doorway is still in the room that it came from.
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
