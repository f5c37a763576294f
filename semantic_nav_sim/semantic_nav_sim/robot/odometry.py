"""Wheel odometry that drifts."""

import math

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.frames import compose, relative
from semantic_nav_sim.robot.profile import OdometryErrors
from semantic_nav_sim.world.random_streams import stream


class Odometry:
    """Wheel odometry with constant scale errors and random slip.

    Attributes:
        pose: of the base in the odom frame, whose origin is the start.
        speed_m_s, sideways_m_s, turn_rad_s: measured, along the axes of the base.
    """

    def __init__(self, start: Pose2D, seed: int, errors: OdometryErrors) -> None:
        self._rng = stream(seed, 'odometry noise')
        self._errors = errors
        self._scale = 1 + errors.scale * float(self._rng.standard_normal())
        self._turn_scale = 1 + errors.scale * float(self._rng.standard_normal())
        self._true = start
        self.pose = Pose2D(0.0, 0.0, 0.0)
        self.speed_m_s = 0.0
        self.sideways_m_s = 0.0
        self.turn_rad_s = 0.0

    def update(self, true: Pose2D, dt_s: float) -> None:
        """Take in the true pose of the base, dt_s after the last one."""
        step = relative(self._true, true)
        self._true = true
        moved, turned = math.hypot(step.x, step.y), abs(step.yaw)
        slip = float(self._rng.standard_normal()) * self._errors.slip_m * math.sqrt(moved)
        twist = float(self._rng.standard_normal()) * (
            self._errors.turn_slip_rad * math.sqrt(turned))
        measured = Pose2D(step.x * self._scale + slip, step.y,
                          step.yaw * self._turn_scale + twist)
        self.pose = compose(self.pose, measured)
        # Wheels do not measure slip: it falsifies the pose, not the speeds.
        self.speed_m_s = step.x * self._scale / dt_s
        self.sideways_m_s = step.y * self._scale / dt_s
        self.turn_rad_s = step.yaw * self._turn_scale / dt_s
