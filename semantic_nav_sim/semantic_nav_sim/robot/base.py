"""A kinematic base: acceleration limits, contact with walls, path length."""

import math
from dataclasses import dataclass
from enum import StrEnum

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav_sim.robot.hull import hull_of
from semantic_nav_sim.robot.shape import USUAL, Shape
from semantic_nav_sim.world.footprints import Obstacles

SUBSTEP_M = 0.02


class Drive(StrEnum):
    """Kinematics of the wheels: turning and driving ahead, or driving in any direction."""

    DIFFERENTIAL = 'differential'
    OMNIDIRECTIONAL = 'omnidirectional'


@dataclass(frozen=True)
class BaseLimits:
    """Shape and limits of the base, in metres, radians and seconds."""

    shape: Shape = USUAL
    speed_m_s: float = 0.6
    turn_rad_s: float = 1.2
    acceleration_m_s2: float = 1.0
    braking_m_s2: float = 2.0
    turn_acceleration_rad_s2: float = 3.0


class Base:
    """A robot that cannot enter walls or furniture.

    Attributes:
        pose: true, in the map frame.
        speed_m_s, sideways_m_s, turn_rad_s: of the wheels: ahead, to the left, about the z axis.
        collisions: number so far.
        met: obstacle of the last collision; empty for none.
        distance_m: length of the driven path.
    """

    def __init__(self, footprints: Obstacles, start: Pose2D, limits: BaseLimits | None = None,
                 drive: Drive = Drive.DIFFERENTIAL) -> None:
        self._drive = drive
        self.limits = limits or BaseLimits()
        self._hull = hull_of(self.limits.shape, footprints)
        self.pose = start
        self.speed_m_s = self.sideways_m_s = self.turn_rad_s = 0.0
        self.collisions = 0
        self.met = ''
        self.distance_m = 0.0
        self._touching = False

    def step(self, speed_m_s: float, turn_rad_s: float, dt_s: float,
             sideways_m_s: float = 0.0) -> None:
        """Move towards commanded speeds, which are clipped to the limits.

        Args:
            speed_m_s: forward; negative for backward.
            turn_rad_s: to the left.
            dt_s: duration.
            sideways_m_s: to the left; ignored by a differential base.
        """
        limits = self.limits
        if self._drive is Drive.DIFFERENTIAL:
            sideways_m_s = 0.0
        self._accelerate(speed_m_s, sideways_m_s, dt_s)
        turning = min(max(turn_rad_s, -limits.turn_rad_s), limits.turn_rad_s)
        self.turn_rad_s = _towards(self.turn_rad_s, turning,
                                   limits.turn_acceleration_rad_s2 * dt_s)
        going = math.hypot(self.speed_m_s, self.sideways_m_s)
        # Corners must not move farther in a substep either.
        swung = abs(self.turn_rad_s) * limits.shape.radius_m if limits.shape.corners else 0.0
        steps = max(1, math.ceil((going + swung) * dt_s / SUBSTEP_M))
        for _ in range(steps):
            self._substep(dt_s / steps)

    def _accelerate(self, ahead: float, left: float, dt_s: float) -> None:
        """Change the speeds towards wanted ones, in m/s, within the acceleration limits."""
        limits, now = self.limits, (self.speed_m_s, self.sideways_m_s)
        wanted = math.hypot(ahead, left)
        if wanted > limits.speed_m_s:
            ahead, left = (value * limits.speed_m_s / wanted for value in (ahead, left))
        braking = (math.hypot(ahead, left) < math.hypot(*now)
                   or ahead * now[0] + left * now[1] < 0)
        step = (limits.braking_m_s2 if braking else limits.acceleration_m_s2) * dt_s
        change = math.hypot(ahead - now[0], left - now[1])
        share = min(1.0, step / change) if change else 1.0
        self.speed_m_s += share * (ahead - now[0])
        self.sideways_m_s += share * (left - now[1])

    def _substep(self, dt_s: float) -> None:
        before = self.pose
        turn = self.turn_rad_s * dt_s
        heading = before.yaw + turn / 2
        cos, sin = math.cos(heading), math.sin(heading)
        self.pose, contact = self._hull.moved(before, Pose2D(
            before.x + (self.speed_m_s * cos - self.sideways_m_s * sin) * dt_s,
            before.y + (self.speed_m_s * sin + self.sideways_m_s * cos) * dt_s,
            wrap_angle(before.yaw + turn)))
        self.distance_m += math.hypot(self.pose.x - before.x, self.pose.y - before.y)
        if contact and not self._touching:
            self.collisions += 1
            self.met = self._hull.met(self.pose)
            self._touching = True
        elif self._touching and not contact:
            self._touching = not self._hull.is_parted(self.pose)


def _towards(value: float, wanted: float, step: float) -> float:
    return min(max(wanted, value - step), value + step)
