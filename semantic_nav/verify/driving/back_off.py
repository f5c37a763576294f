"""How far the robot may back off: straight, over floor that is free, or where it came along."""

import math
from collections import deque
from dataclasses import replace

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import FREE, INSCRIBED, LETHAL, OCCUPIED, OccupancyGrid
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import Turn
from semantic_nav.verify.floor.localisation import Localisation

#: No robot backs off farther than this, in metres.
_MOST_M = 1.0
#: So many places of its own way the robot remembers, and how far they lie apart, in metres.
_REMEMBERED, _APART_M = 60, 0.05
#: Nothing stands so near to the middle of the robot, whatever the map says there, in metres.
_UNDER_M = 0.15
#: The turns after which a way back is looked for, the least first, in radians.
_TURNS_RAD = tuple(sign * math.radians(degrees) for degrees in range(15, 181, 15)
                   for sign in (1, -1))
#: So far beside its own way the robot is still on it, in metres.
_ON_WAY_M = 0.1


class Trail:
    """The last places of the robot by its odometry, forgotten where that leaps."""

    def __init__(self) -> None:
        """Begin with none."""
        self._places: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)
        self._leapt_ns: int | None = None

    def see(self, robot: Localisation) -> None:
        """Take the newest pose."""
        if robot.pose is None or robot.map_T_odom is None:
            return
        if robot.odometry.leapt_ns != self._leapt_ns:
            self._places.clear()
            self._leapt_ns = robot.odometry.leapt_ns
        x, y, _ = (robot.map_T_odom.inverse() @ Transform.from_pose(robot.pose)).translation
        if not self._places or math.dist(self._places[-1], (x, y)) >= _APART_M:
            self._places.append((x, y))

    def passes(self, x: float, y: float, robot: Localisation) -> bool:
        """Tell whether the robot came along a point of the map frame."""
        if robot.map_T_odom is None:
            return False
        there = (robot.map_T_odom.inverse() @ Transform.from_pose(Pose2D(x, y, 0.0))).translation
        return any(math.dist(place, there[:2]) <= _ON_WAY_M for place in self._places)


def turn_to_back_off_rad(situation: Situation, trail: Trail,
                         cleared: OccupancyGrid | None) -> float | None:
    """Return the least turn after which the floor behind is free; None where it is nowhere."""
    return next((turn_rad for turn_rad in _TURNS_RAD if back_off_m(
        situation, trail, cleared, turn_rad=turn_rad) is not None and first_rejection(
            situation, Turn(situation.robot, turn_rad)) is None), None)


def back_off_m(situation: Situation, trail: Trail, cleared: OccupancyGrid | None = None, *,
               turn_rad: float = 0.0) -> float | None:
    """Return how far the robot backs off, in metres; None where the floor behind is not free.

    It ends where the robot touches nothing known, and comes onto no closed floor. On the way there
    the costmap may say that it touches something only where it came along, and nothing may stand
    there but what map and costmap hold to be under the robot itself.

    Args:
        situation: with pose, map and costmap.
        trail: where the robot came along.
        cleared: the costmap of before it was cleared: what stood behind the robot then, no sensor
            may have seen since.
        turn_rad: by which it turns first, positive to the left.
    """
    surroundings, least_m = situation.surroundings, situation.config.back_off_m
    robot, grid, costmap = surroundings.robot, surroundings.map, surroundings.costmap
    if robot.pose is None or grid is None or costmap is None or not least_m:
        return None
    turned = replace(robot.pose, yaw=robot.pose.yaw + turn_rad)
    step_m, body = costmap.resolution_m / 2, situation.body
    for step in range(1, math.floor(_MOST_M / step_m) + 1):
        end = behind(turned, step * step_m)
        occupancy, cost = grid.value_at(end.x, end.y), costmap.value_at(end.x, end.y)
        before = cleared.value_at(end.x, end.y) if cleared is not None else None
        if occupancy is None or cost is None or occupancy < FREE or cost < FREE:
            return None
        cost = cost if before is None else max(cost, before)
        if (occupancy >= OCCUPIED or cost >= LETHAL) and step * step_m > _UNDER_M:
            return None
        if body is not None and body.met_passing(end) is not None:
            return None
        if cost < INSCRIBED:
            if step * step_m >= least_m:
                return step * step_m if _is_open(situation, robot.pose, end) else None
        elif not trail.passes(end.x, end.y, robot):
            return None
    return None


def _is_open(situation: Situation, robot: Pose2D, end: Pose2D) -> bool:
    """Tell whether a straight way comes onto no closed floor, and ends on none."""
    keepout = situation.surroundings.keepout
    return not keepout.floors or not (keepout.at(end.x, end.y) or keepout.entered_by(
        np.array([(robot.x, robot.y), (end.x, end.y)])))


def behind(robot: Pose2D, distance_m: float) -> Pose2D:
    """Return the pose so far behind a robot."""
    return Pose2D(robot.x - distance_m * math.cos(robot.yaw),
                  robot.y - distance_m * math.sin(robot.yaw), robot.yaw)
