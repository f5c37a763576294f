"""Judges a mission by the simulator's truth, which no part of the robot ever sees."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.meaning import meant

_FACING_RAD = math.radians(20)
#: So many stand-offs away the robot has stopped short of the target; farther off it has stopped
#: in front of something else.
_NEAR = 2.0
#: Points along each side of a target that count as the target.
_POINTS = 9


@dataclass(frozen=True)
class Ruling:
    """How the robot truly stands to the target.

    Attributes:
        reached: within the stand-off, facing it, and it is in view.
        words: the figures behind that.
        target: true position of the target, None if there is none.
        robot: true pose of the robot.
        distance_m: from the nearest point of the target's outline.
        near: reached, or so near and in view that the robot stands in front of nothing else.
    """

    reached: bool
    words: str
    target: tuple[float, float, float] | None
    robot: Pose2D
    collisions: int
    driven_m: float
    near: bool = False
    distance_m: float = math.inf


class Unjudged(ConfigError):
    """Nobody can say what a goal means in the world."""


class Judge:
    """Compares what the robot says with what is so."""

    def __init__(self, truth: Callable[[str], Any]) -> None:
        """Ask the truth: a function that answers 'pose', 'world' and 'view'."""
        self._truth = truth

    def pose(self) -> Pose2D:
        """Return where the robot truly is."""
        pose = self._truth('pose')
        return Pose2D(pose['x'], pose['y'], pose['yaw'])

    def targets_of(self, goal: str) -> list[dict[str, Any]]:
        """Return the objects of which any will do for a goal; none where the world holds none.

        Raises:
            Unjudged: the words name no kind of thing that is known.
        """
        found = meant(goal, self._truth('world')['objects'])
        if found is None:
            raise Unjudged(f'{goal!r} names no kind of thing that is known here: '
                           'nobody could judge (`world show` tells what a home holds)')
        return found

    def rule_any(self, targets: Sequence[dict[str, Any]], stand_off_m: float) -> Ruling:
        """Return how the robot stands to that of several objects to which it stands best.

        Where the world holds none, nowhere is in front of it.
        """
        if targets:
            return max((self.rule(target, stand_off_m) for target in targets),
                       key=lambda ruling: (ruling.reached, ruling.near, -ruling.distance_m))
        pose = self._truth('pose')
        robot = Pose2D(pose['x'], pose['y'], pose['yaw'])
        return Ruling(False, 'there is nothing to stand in front of', None, robot,
                      pose['collisions'], pose['distance_m'])

    def rule(self, target: dict[str, Any], stand_off_m: float) -> Ruling:
        """Return how the robot stands to an object.

        Distance and direction are those of the nearest point of its outline on the floor: in
        front of a sofa is not in front of the sofa's middle.
        """
        pose = self._truth('pose')
        robot = Pose2D(pose['x'], pose['y'], pose['yaw'])
        outline = outline_of(target)
        distance_m = min(robot.distance_to(x, y) for x, y in outline)
        off_rad = min(abs(robot.bearing_to(x, y)) for x, y in outline)
        in_view = any(item['id'] == target['id'] for item in self._truth('view')['objects'])
        reached = distance_m <= stand_off_m and off_rad <= _FACING_RAD and in_view
        words = (f'{distance_m:.2f} m from the {target["name"]} (at most {stand_off_m:.2f}), '
                 f'turned {math.degrees(off_rad):.0f}° away (at most 20), '
                 f'{"in view" if in_view else "not in view"}')
        x, y, z = target['position']
        near = in_view and distance_m <= _NEAR * stand_off_m
        return Ruling(reached, words, (x, y, z), robot, pose['collisions'], pose['distance_m'],
                      near, distance_m)


def outline_of(target: dict[str, Any]) -> list[tuple[float, float]]:
    """Return points of the map on the floor below an object: of its outline and inside it."""
    x, y, _ = target['position']
    depth, width, _ = target['size']
    c, s = math.cos(target['yaw']), math.sin(target['yaw'])
    steps = np.linspace(-0.5, 0.5, _POINTS)
    return [(x + c * a * depth - s * b * width, y + s * a * depth + c * b * width)
            for a in steps for b in steps]
