"""Odometry that drifts, and a stand-in for the localisation that corrects it."""

import math

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.sim.world.streams import stream

SCALE_ERROR = 0.01
SLIP_PER_ROOT_M = 0.006
TURN_SLIP_PER_ROOT_RAD = 0.008


def compose(a: Pose2D, b: Pose2D) -> Pose2D:
    """Return the pose b, given in the frame of a, in the frame that a is given in."""
    c, s = math.cos(a.yaw), math.sin(a.yaw)
    return Pose2D(a.x + c * b.x - s * b.y, a.y + s * b.x + c * b.y, wrap_angle(a.yaw + b.yaw))


def relative(a: Pose2D, b: Pose2D) -> Pose2D:
    """Return the pose b in the frame of a; both are given in one frame."""
    c, s = math.cos(a.yaw), math.sin(a.yaw)
    dx, dy = b.x - a.x, b.y - a.y
    return Pose2D(c * dx + s * dy, -s * dx + c * dy, wrap_angle(b.yaw - a.yaw))


class Odometry:
    """Wheel odometry with scale errors of this robot and slip along the way.

    Attributes:
        pose: of the base in the odom frame, which starts where the robot does.
        speed_m_s, turn_rad_s: measured.
    """

    def __init__(self, start: Pose2D, seed: int) -> None:
        self._rng = stream(seed, 'odometry noise')
        self._scale = 1 + SCALE_ERROR * float(self._rng.standard_normal())
        self._turn_scale = 1 + SCALE_ERROR * float(self._rng.standard_normal())
        self._true = start
        self.pose = Pose2D(0.0, 0.0, 0.0)
        self.speed_m_s = 0.0
        self.turn_rad_s = 0.0

    def update(self, true: Pose2D, dt_s: float) -> None:
        """Take in where the base really is now, dt_s after the last time."""
        step = relative(self._true, true)
        self._true = true
        moved, turned = math.hypot(step.x, step.y), abs(step.yaw)
        slip = float(self._rng.standard_normal()) * SLIP_PER_ROOT_M * math.sqrt(moved)
        twist = float(self._rng.standard_normal()) * TURN_SLIP_PER_ROOT_RAD * math.sqrt(turned)
        measured = Pose2D(step.x * self._scale + slip, step.y,
                          step.yaw * self._turn_scale + twist)
        self.pose = compose(self.pose, measured)
        # Slip is what the wheels do not notice: it falsifies the pose, not the speeds.
        self.speed_m_s = step.x * self._scale / dt_s
        self.turn_rad_s = step.yaw * self._turn_scale / dt_s


class Localisation:
    """Stands in for AMCL: knows the truth, and tells it with AMCL's manners.

    It looks again after the robot has moved some way, its estimate is off by a few centimetres,
    and the correction of the odometry slides to it instead of jumping.
    """

    UPDATE_M = 0.20
    UPDATE_RAD = 0.20
    NOISE_M = 0.02
    NOISE_RAD = 0.008
    GAIN = 0.6
    SLIDE_M_S = 0.05
    SLIDE_RAD_S = 0.05

    def __init__(self, start: Pose2D, seed: int) -> None:
        self._rng = stream(seed, 'localisation noise')
        self.map_t_odom = start
        self._wanted = start
        self._last_look = Pose2D(0.0, 0.0, 0.0)

    def update(self, true: Pose2D, odom: Pose2D, dt_s: float) -> None:
        """Take in the true pose and the odometry of one moment.

        Args:
            true: of the base in the map.
            odom: of the base in the odom frame.
            dt_s: since the last time.
        """
        step = relative(self._last_look, odom)
        if math.hypot(step.x, step.y) > self.UPDATE_M or abs(step.yaw) > self.UPDATE_RAD:
            self._last_look = odom
            noise = self._rng.standard_normal(3)
            seen = Pose2D(true.x + self.NOISE_M * float(noise[0]),
                          true.y + self.NOISE_M * float(noise[1]),
                          true.yaw + self.NOISE_RAD * float(noise[2]))
            # Blend where the robot stands, not the far-away origin of odom.
            believed = compose(self.map_t_odom, odom)
            blended = Pose2D(believed.x + self.GAIN * (seen.x - believed.x),
                             believed.y + self.GAIN * (seen.y - believed.y),
                             believed.yaw + self.GAIN * wrap_angle(seen.yaw - believed.yaw))
            self._wanted = compose(blended, relative(odom, Pose2D(0.0, 0.0, 0.0)))
        self._slide(odom, dt_s)

    def _slide(self, odom: Pose2D, dt_s: float) -> None:
        now, goal = compose(self.map_t_odom, odom), compose(self._wanted, odom)
        gap, turn = math.hypot(goal.x - now.x, goal.y - now.y), wrap_angle(goal.yaw - now.yaw)
        share = 1.0 if gap == 0 else min(1.0, self.SLIDE_M_S * dt_s / gap)
        limit = self.SLIDE_RAD_S * dt_s
        here = Pose2D(now.x + share * (goal.x - now.x), now.y + share * (goal.y - now.y),
                      now.yaw + min(max(turn, -limit), limit))
        self.map_t_odom = compose(here, relative(odom, Pose2D(0.0, 0.0, 0.0)))
