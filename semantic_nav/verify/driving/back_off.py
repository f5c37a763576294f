"""Distance that the robot may back off: straight, over free floor or along its own trail."""

import math
from collections import deque
from dataclasses import replace

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import FREE, INSCRIBED, LETHAL, OCCUPIED, OccupancyGrid
from semantic_nav.verify.checks.checks import passes
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import Turn
from semantic_nav.verify.floor.keepout import Keepout
from semantic_nav.verify.floor.localisation import Localisation

#: Longest way back, in m.
_MOST_M = 1.0
#: Number of places in a trail, and their least spacing in m.
_REMEMBERED, _APART_M = 60, 0.05
#: Distance from the middle of the robot within which nothing stands, whatever the map says, in m.
_UNDER_M = 0.15
#: Turns after which a way back is looked for, the least first, in rad.
_TURNS_RAD = tuple(sign * math.radians(degrees) for degrees in range(15, 181, 15)
                   for sign in (1, -1))
#: Distance from a trail within which a point is on it, in m.
_ON_WAY_M = 0.1


class OdometryTrail:
    """The last places of the robot in the odometry frame, forgotten when the odometry leaps."""

    def __init__(self) -> None:
        """Begin without a place."""
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
        """Tell whether the robot passed a point of the map frame."""
        if robot.map_T_odom is None:
            return False
        there = (robot.map_T_odom.inverse() @ Transform.from_pose(Pose2D(x, y, 0.0))).translation
        return any(math.dist(place, there[:2]) <= _ON_WAY_M for place in self._places)


def turn_to_back_off_rad(situation: Situation, trail: OdometryTrail,
                         cleared: OccupancyGrid | None) -> float | None:
    """Least turn in rad after which the floor behind is free; None for none."""
    return next((turn_rad for turn_rad in _TURNS_RAD if back_off_m(
        situation, trail, cleared, turn_rad=turn_rad) is not None and passes(
            situation, Turn(situation.robot, turn_rad))), None)


def back_off_m(situation: Situation, trail: OdometryTrail, cleared: OccupancyGrid | None = None, *,
               turn_rad: float = 0.0) -> float | None:
    """Distance that the robot backs off, in m; None where the floor behind is not free.

    The way back ends where the robot touches no known obstacle and is on no closed floor. On the
    way the costmap may report contact only along the trail. No obstacle may stand there except
    what map and costmap hold to be under the robot itself.

    Args:
        situation: with pose, map and costmap.
        trail: last places of the robot.
        cleared: costmap before it was cleared: no sensor may have seen since then what stands
            behind the robot.
        turn_rad: turn before the way back, positive to the left.
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
                return step * step_m if _is_open(surroundings.keepout, robot.pose, end) else None
        elif not trail.passes(end.x, end.y, robot):
            return None
    return None


def _is_open(keepout: Keepout, robot: Pose2D, end: Pose2D) -> bool:
    """Tell whether a straight way neither enters closed floor nor ends on it."""
    return not keepout.floors or not (keepout.at(end.x, end.y) or keepout.entered_by(
        np.array([(robot.x, robot.y), (end.x, end.y)])))


def behind(robot: Pose2D, distance_m: float) -> Pose2D:
    """Pose at a distance behind a robot, with its heading."""
    return Pose2D(robot.x - distance_m * math.cos(robot.yaw),
                  robot.y - distance_m * math.sin(robot.yaw), robot.yaw)
