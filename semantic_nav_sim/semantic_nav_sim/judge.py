"""Judge of a mission by the simulator's truth, which no part of the robot ever sees."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.meaning import meant

_FACING_RAD = math.radians(20)
#: Distance, in stand-offs, within which the robot has stopped short of the target; beyond it the
#: robot stands in front of something else.
_NEAR = 2.0
#: Number of points along each side of a target that count as the target.
_POINTS = 9


@dataclass(frozen=True)
class Ruling:
    """The robot's true pose relative to the target.

    Attributes:
        reached: whether it is within the stand-off, faces the target, and has it in view.
        words: the figures behind that.
        target: true position of the target, in the map frame; None without a target.
        robot: true pose of the robot, in the map frame.
        distance_m: to the nearest point of the target's outline.
        near: whether the target is so near and in view that the robot stands in front of nothing
            else.
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
    """The meaning of a goal in the world is unknown."""


class Judge:
    """Compares the robot's claims with the truth."""

    def __init__(self, truth: Callable[[str], Any]) -> None:
        """Use a source of the truth: a function that answers 'pose', 'world' and 'view'."""
        self._truth = truth

    def pose(self) -> Pose2D:
        """The true pose of the robot."""
        pose = self._truth('pose')
        return Pose2D(pose['x'], pose['y'], pose['yaw'])

    def targets_of(self, goal: str) -> list[dict[str, Any]]:
        """The objects of which any will do for a goal; empty if the world holds none.

        Raises:
            Unjudged: the words name no known kind of thing.
        """
        found = meant(goal, self._truth('world')['objects'])
        if found is None:
            raise Unjudged(f'{goal!r} names no kind of thing that is known here: '
                           'nobody could judge (`world show` tells what a home holds)')
        return found

    def rule_any(self, targets: Sequence[dict[str, Any]], stand_off_m: float) -> Ruling:
        """Rule on the robot's pose relative to the best of several objects.

        Without an object, the robot is in front of nothing.
        """
        if targets:
            return max((self.rule(target, stand_off_m) for target in targets),
                       key=lambda ruling: (ruling.reached, ruling.near, -ruling.distance_m))
        pose = self._truth('pose')
        robot = Pose2D(pose['x'], pose['y'], pose['yaw'])
        return Ruling(False, 'there is nothing to stand in front of', None, robot,
                      pose['collisions'], pose['distance_m'])

    def rule(self, target: dict[str, Any], stand_off_m: float) -> Ruling:
        """Rule on the robot's pose relative to an object.

        Distance and direction are those of the nearest point of its outline on the floor: in front
        of a sofa is not in front of the sofa's centre.
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
    """Points on the floor below an object, on its outline and inside it, in the map frame."""
    x, y, _ = target['position']
    depth, width, _ = target['size']
    c, s = math.cos(target['yaw']), math.sin(target['yaw'])
    steps = np.linspace(-0.5, 0.5, _POINTS)
    return [(x + c * a * depth - s * b * width, y + s * a * depth + c * b * width)
            for a in steps for b in steps]
