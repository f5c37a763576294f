"""A regulated pure pursuit follower that turns in place if needed and stops before a collision.

After Macenski et al., 'Regulated Pure Pursuit for Robot Path Tracking' (2023). Other parameters
are the stock ones of nav2_regulated_pure_pursuit_controller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.footprint import Footprint
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.footprint import outline, placed
from semantic_nav_sim.navigator.geometry import STOP, Pose, Velocity, clamp, wrap
from semantic_nav_sim.navigator.planner import Plan, length_m

_LOOKAHEAD_TIME_S, _MIN_LOOKAHEAD_M, _MAX_LOOKAHEAD_M = 1.5, 0.3, 0.9
_TURN_FIRST_RAD = 0.785
_REGULATED_RADIUS_M, _REGULATED_MIN_SPEED = 0.9, 0.25
_SLOW_CLEARANCE_M = 0.25
_APPROACH_M, _APPROACH_MIN_SPEED = 0.6, 0.05
_TURN_GAIN, _MIN_TURN_SPEED = 2.0, 0.3
_MAX_ACCELERATION, _MAX_TURN_ACCELERATION = 2.5, 3.2
_LOOK_AHEAD_S, _LOOK_AHEAD_STEPS = 1.0, 12
_CREEP, _ALIGNED_RAD = 0.3, 0.15


@dataclass(frozen=True)
class FollowerConfig:
    """Limits of the follower.

    Attributes:
        max_vel_x: Fastest forward speed [m/s].
        max_vel_theta: Fastest turn [rad/s].
        xy_goal_tolerance_m: Tolerance of the position at the end of the path [m].
        yaw_goal_tolerance_rad: Tolerance of the yaw there [rad].
    """

    max_vel_x: float = 0.5
    max_vel_theta: float = 1.0
    xy_goal_tolerance_m: float = 0.25
    yaw_goal_tolerance_rad: float = 0.25


class Follower:
    """Drives along one plan, which may be replaced while driving.

    Args:
        config: Limits.

    Attributes:
        max_vel_x: Current speed limit [m/s].
    """

    def __init__(self, config: FollowerConfig) -> None:
        self._config = config
        self.max_vel_x = config.max_vel_x
        self._plan: Plan | None = None
        self._index = 0
        self._at_end = False

    def follow(self, plan: Plan) -> None:
        """Follow a plan with a path. Once reached, an unchanged end position stays reached."""
        self._at_end = (self._at_end and self._plan is not None
                        and self._plan.end == plan.end)
        self._plan, self._index = plan, 0

    def reset(self) -> None:
        """Forget the plan."""
        self._plan, self._index, self._at_end = None, 0, False

    @property
    def plan(self) -> Plan | None:
        """The current plan."""
        return self._plan

    def remaining_m(self, pose: Pose) -> float:
        """Length of the path from the point nearest to a pose [m]."""
        if self._plan is None:
            return 0.0
        points = self._plan.points
        nearest = int(np.argmin(np.hypot(points[:, 0] - pose.x, points[:, 1] - pose.y)))
        return length_m(points[nearest:])

    def reached(self, pose: Pose) -> bool:
        """Tell whether a pose is at the end of the path, within the tolerances."""
        if self._plan is None:
            return False
        config, end = self._config, self._plan.end
        self._at_end = (self._at_end
                        or pose.distance_m(end.x, end.y) <= config.xy_goal_tolerance_m)
        return self._at_end and abs(wrap(end.yaw - pose.yaw)) <= config.yaw_goal_tolerance_rad

    def velocity(self, pose: Pose, current: Velocity, local: Costmap, odom: Pose,
                 dt_s: float) -> Velocity | None:
        """The velocity to drive now.

        Args:
            pose: Of the robot in the frame of the path.
            current: Current velocity of the robot.
            local: Local costmap.
            odom: Pose of the robot in the frame of that costmap.
            dt_s: Time until the next call [s].

        Returns:
            A velocity, or None if the way ahead is blocked.
        """
        if self._plan is None:
            return STOP
        if not local.current or is_wedged(local, odom):
            return None
        if self._at_end:
            return self._turn(wrap(self._plan.end.yaw - pose.yaw), current, dt_s, local, odom)
        points = self._ahead(pose)
        lookahead_m = min(max(current.linear * _LOOKAHEAD_TIME_S, _MIN_LOOKAHEAD_M),
                          _MAX_LOOKAHEAD_M)
        # If the arc to a far carrot cuts a corner, a nearer carrot, a lower speed or a turn in
        # place may still be clear.
        bearing = 0.0
        for distance_m, share in ((lookahead_m, 1.0), (_MIN_LOOKAHEAD_M, 1.0),
                                  (_MIN_LOOKAHEAD_M, _CREEP)):
            x, y = _carrot(points, pose, distance_m)
            bearing = wrap(math.atan2(y - pose.y, x - pose.x) - pose.yaw)
            if abs(bearing) > _TURN_FIRST_RAD:
                return self._turn(bearing, current, dt_s, local, odom)
            gap_m = local.clearance_at(odom.x, odom.y) - local.robot_radius_m
            wanted = self._pursue(bearing, math.hypot(x - pose.x, y - pose.y),
                                  length_m(points), gap_m)
            wanted = _smoothed(Velocity(wanted.linear * share, wanted.angular * share),
                               current, dt_s)
            if is_clear(local, odom, wanted, _LOOK_AHEAD_S):
                return wanted
        return self._turn(bearing, current, dt_s, local, odom) if (
            abs(bearing) > _ALIGNED_RAD) else None

    def _ahead(self, pose: Pose) -> NDArray[np.float64]:
        """The part of the path from the point nearest to a pose, never behind the last call's."""
        assert self._plan is not None
        points = self._plan.points[self._index:]
        away = np.hypot(points[:, 0] - pose.x, points[:, 1] - pose.y)
        # The nearest point before the path first leaves the robot's surroundings: a path that
        # comes back past the robot must not be cut short.
        left = np.flatnonzero(away > away[0] + 2.0 * _MAX_LOOKAHEAD_M)
        self._index += int(np.argmin(away[:left[0]] if len(left) else away))
        return self._plan.points[self._index:]

    def _pursue(self, bearing_rad: float, distance_m: float, remaining_m: float,
                gap_m: float) -> Velocity:
        config = self._config
        curvature = 2.0 * math.sin(bearing_rad) / max(distance_m, 1e-3)
        speed = self.max_vel_x
        if abs(curvature) * _REGULATED_RADIUS_M > 1.0:
            speed *= 1.0 / (abs(curvature) * _REGULATED_RADIUS_M)
        if gap_m < _SLOW_CLEARANCE_M:
            speed = min(speed, self.max_vel_x * max(gap_m, 0.0) / _SLOW_CLEARANCE_M)
        speed = max(speed, min(_REGULATED_MIN_SPEED, self.max_vel_x))
        if remaining_m < _APPROACH_M:
            speed = min(speed, max(self.max_vel_x * remaining_m / _APPROACH_M,
                                   _APPROACH_MIN_SPEED))
        turn = speed * curvature
        if abs(turn) > config.max_vel_theta:
            speed *= config.max_vel_theta / abs(turn)
        return Velocity(speed, clamp(turn, config.max_vel_theta))

    def _turn(self, error_rad: float, current: Velocity, dt_s: float, local: Costmap,
              odom: Pose) -> Velocity | None:
        speed = min(max(_TURN_GAIN * abs(error_rad), _MIN_TURN_SPEED), self._config.max_vel_theta)
        if not can_turn(local, odom, math.copysign(speed, error_rad), error_rad, _LOOK_AHEAD_S):
            return None
        return _smoothed(Velocity(0.0, math.copysign(speed, error_rad)), current, dt_s)


def is_wedged(costmap: Costmap, pose: Pose) -> bool:
    """Tell whether the robot touches something at a pose: then Nav2 does not move it at all."""
    # Half a cell of margin: the costmap knows obstacles by the centres of their cells.
    if costmap.footprint is not None:
        return _contacts(costmap, costmap.footprint, [pose], shrunk=True)[0] > 0
    touching_m = costmap.robot_radius_m - 0.5 * costmap.resolution_m
    return costmap.clearance_at(pose.x, pose.y) < touching_m


def is_clear(costmap: Costmap, pose: Pose, velocity: Velocity, ahead_s: float) -> bool:
    """Tell whether the robot can keep a velocity for a while without a collision.

    Too close to an obstacle, it may turn or move away, since standing still would not help. It may
    not move on beside the obstacle, nor move at all if wedged.

    Args:
        costmap: Local costmap.
        pose: Of the robot in the costmap's frame.
        velocity: The velocity to check.
        ahead_s: Duration [s].
    """
    if is_wedged(costmap, pose):
        return False
    times_s = [ahead_s * step / _LOOK_AHEAD_STEPS for step in range(_LOOK_AHEAD_STEPS + 1)]
    if costmap.footprint is not None:
        here, *there = _contacts(costmap, costmap.footprint, [
            pose.moved(velocity.linear * time_s, velocity.angular * time_s)
            for time_s in times_s])
        return max(there) <= here and (
            here == 0 or velocity.linear == 0.0 or there[-1] < here)
    here_m = clearance_m = costmap.clearance_at(pose.x, pose.y)
    for time_s in times_s[1:]:
        there = pose.moved(velocity.linear * time_s, velocity.angular * time_s)
        clearance_m = costmap.clearance_at(there.x, there.y)
        if clearance_m <= costmap.robot_radius_m and clearance_m < here_m:
            return False
    return here_m > costmap.robot_radius_m or velocity.linear == 0.0 or clearance_m > here_m


def can_turn(costmap: Costmap, pose: Pose, speed: float, turn_rad: float,
             ahead_s: float) -> bool:
    """Tell whether the robot can turn in place for a while, or to the end; a round one can.

    Args:
        costmap: Local costmap.
        pose: Of the robot in the costmap's frame.
        speed: Turn rate; positive to the left [rad/s].
        turn_rad: Remaining angle [rad].
        ahead_s: Duration [s].
    """
    return costmap.footprint is None or is_clear(
        costmap, pose, Velocity(0.0, speed), min(ahead_s, abs(turn_rad / speed)))


def _contacts(costmap: Costmap, footprint: Footprint, poses: list[Pose], *,
              shrunk: bool = False) -> list[int]:
    """Number of outline points of the base on lethal cells, at each of some poses."""
    resolution_m = costmap.resolution_m
    points = outline(footprint, 0.5 * resolution_m, 0.5 * resolution_m if shrunk else 0.0)
    there = placed(points, np.array([(pose.x, pose.y, pose.yaw) for pose in poses]))
    counts: list[int] = costmap.lethal_at(there).sum(axis=1).tolist()
    return counts


def _carrot(points: NDArray[np.float64], pose: Pose, distance_m: float) -> tuple[float, float]:
    """The first point of a path at a distance from the pose; its end if none is that far."""
    far = np.flatnonzero(np.hypot(points[:, 0] - pose.x, points[:, 1] - pose.y) >= distance_m)
    x, y = points[far[0] if len(far) else -1]
    return float(x), float(y)


def _smoothed(wanted: Velocity, current: Velocity, dt_s: float) -> Velocity:
    """The velocity clipped to the change that the base can make in one period."""
    return Velocity(
        current.linear + clamp(wanted.linear - current.linear, _MAX_ACCELERATION * dt_s),
        current.angular + clamp(wanted.angular - current.angular, _MAX_TURN_ACCELERATION * dt_s))
