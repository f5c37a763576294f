"""A stand-in for the localisation that corrects the odometry."""

import math
import sys

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav_sim.robot.frames import compose, relative
from semantic_nav_sim.robot.jumps import Jumps
from semantic_nav_sim.robot.profile import LocalisationErrors
from semantic_nav_sim.world.random_streams import stream


class Localisation:
    """Stands in for AMCL: knows the truth, and reports it with AMCL's manners.

    It updates after some motion, with an error that drifts from update to update. The correction
    of the odometry slides to the new estimate. It jumps only if the profile says so.

    Attributes:
        map_t_odom: correction of the odometry.
    """

    UPDATE_M = 0.20
    UPDATE_RAD = 0.20
    GAIN = 0.6
    SLIDE_M_S = 0.05
    SLIDE_RAD_S = 0.05

    def __init__(self, start: Pose2D, seed: int, errors: LocalisationErrors) -> None:
        self._rng = stream(seed, 'localisation noise')
        self._errors, self._jumps = errors, Jumps(errors, seed)
        # Share of a drifting error, an Ornstein-Uhlenbeck process, that is left at the next
        # update.
        lasts_m = errors.noise_lasts_m
        self._kept = math.exp(-self.UPDATE_M / lasts_m) if lasts_m else 0.0
        self._off = np.zeros(3)
        self._elapsed_s = 0.0
        self.map_t_odom = start
        self._slid = start
        self._wanted = start
        self._last_look = Pose2D(0.0, 0.0, 0.0)

    def update(self, true: Pose2D, odom: Pose2D, dt_s: float) -> None:
        """Take in the true pose and the odometry of one moment.

        Args:
            true: pose of the base in the map frame.
            odom: pose of the base in the odom frame.
            dt_s: since the last call.
        """
        step = relative(self._last_look, odom)
        if math.hypot(step.x, step.y) > self.UPDATE_M or abs(step.yaw) > self.UPDATE_RAD:
            self._last_look = odom
            self._off = self._kept * self._off + (
                math.sqrt(1 - self._kept ** 2) * self._rng.standard_normal(3))
            x, y, turn = self._off.tolist()
            seen = Pose2D(true.x + self._errors.noise_m * x, true.y + self._errors.noise_m * y,
                          true.yaw + self._errors.noise_rad * _long_tailed(turn))
            # Blend at the robot, not at the far-away origin of odom.
            believed = compose(self._slid, odom)
            blended = Pose2D(believed.x + self.GAIN * (seen.x - believed.x),
                             believed.y + self.GAIN * (seen.y - believed.y),
                             believed.yaw + self.GAIN * wrap_angle(seen.yaw - believed.yaw))
            self._wanted = compose(blended, relative(odom, Pose2D(0.0, 0.0, 0.0)))
        self._slide(odom, dt_s)
        self._elapsed_s += dt_s
        displaced = self._jumps.displacement(compose(self._slid, odom), self._elapsed_s)
        self.map_t_odom = compose(displaced, self._slid)

    def _slide(self, odom: Pose2D, dt_s: float) -> None:
        now, goal = compose(self._slid, odom), compose(self._wanted, odom)
        gap, turn = math.hypot(goal.x - now.x, goal.y - now.y), wrap_angle(goal.yaw - now.yaw)
        share = 1.0 if gap == 0 else min(1.0, self.SLIDE_M_S * dt_s / gap)
        limit = self.SLIDE_RAD_S * dt_s
        here = Pose2D(now.x + share * (goal.x - now.x), now.y + share * (goal.y - now.y),
                      now.yaw + min(max(turn, -limit), limit))
        self._slid = compose(here, relative(odom, Pose2D(0.0, 0.0, 0.0)))


def _long_tailed(normal: float) -> float:
    """Convert a standard normal value to a Laplace distribution with variance 1."""
    # The tail probability underflows far out.
    beyond = max(math.erfc(abs(normal) / math.sqrt(2)), sys.float_info.min)
    return -math.copysign(math.log(beyond) / math.sqrt(2), normal)
