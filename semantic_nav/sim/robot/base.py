"""A kinematic base: acceleration limits, contact with walls, path length."""

import math
from dataclasses import dataclass
from enum import StrEnum

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.sim.world.footprints import Obstacles

SUBSTEP_M = 0.02
PARTING_M = 0.01
PUSHES = 4


class Drive(StrEnum):
    """What the wheels can do: turn and go ahead, or go any way."""

    DIFFERENTIAL = 'differential'
    OMNIDIRECTIONAL = 'omnidirectional'


@dataclass(frozen=True)
class BaseLimits:
    """What the base can do: metres, radians, seconds."""

    radius_m: float = 0.20
    speed_m_s: float = 0.6
    turn_rad_s: float = 1.2
    acceleration_m_s2: float = 1.0
    braking_m_s2: float = 2.0
    turn_acceleration_rad_s2: float = 3.0


class Base:
    """A round robot that cannot enter walls or furniture; it slides along them.

    Attributes:
        pose: in the map, true.
        speed_m_s, sideways_m_s, turn_rad_s: what the wheels do: ahead, to the left, round.
        collisions: how often it has run into something.
        met: what it ran into last, empty for nothing.
        distance_m: length of the path so far.
    """

    def __init__(self, footprints: Obstacles, start: Pose2D, limits: BaseLimits | None = None,
                 drive: Drive = Drive.DIFFERENTIAL) -> None:
        self._footprints, self._drive = footprints, drive
        self.limits = limits or BaseLimits()
        self.pose = start
        self.speed_m_s = self.sideways_m_s = self.turn_rad_s = 0.0
        self.collisions = 0
        self.met = ''
        self.distance_m = 0.0
        self._touching = False

    def step(self, speed_m_s: float, turn_rad_s: float, dt_s: float,
             sideways_m_s: float = 0.0) -> None:
        """Move for a while towards commanded speeds, which are cut to the limits.

        Args:
            speed_m_s: forward; negative is backwards.
            turn_rad_s: to the left.
            dt_s: how long.
            sideways_m_s: to the left; a differential base takes no notice.
        """
        limits = self.limits
        if self._drive is Drive.DIFFERENTIAL:
            sideways_m_s = 0.0
        self._accelerate(speed_m_s, sideways_m_s, dt_s)
        turning = min(max(turn_rad_s, -limits.turn_rad_s), limits.turn_rad_s)
        self.turn_rad_s = _towards(self.turn_rad_s, turning,
                                   limits.turn_acceleration_rad_s2 * dt_s)
        going = math.hypot(self.speed_m_s, self.sideways_m_s)
        steps = max(1, math.ceil(going * dt_s / SUBSTEP_M))
        for _ in range(steps):
            self._substep(dt_s / steps)

    def _accelerate(self, ahead: float, left: float, dt_s: float) -> None:
        """Change the speeds towards wanted ones, in metres a second, as far as it can be done."""
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
        x, y, contact = self._pushed_out(
            before.x + (self.speed_m_s * cos - self.sideways_m_s * sin) * dt_s,
            before.y + (self.speed_m_s * sin + self.sideways_m_s * cos) * dt_s)
        self.pose = Pose2D(x, y, wrap_angle(before.yaw + turn))
        self.distance_m += math.hypot(x - before.x, y - before.y)
        if contact and not self._touching:
            self.collisions += 1
            self.met = self._footprints.nearest(x, y, self.limits.radius_m + PARTING_M).name
            self._touching = True
        elif self._touching and not contact:
            near = self._footprints.nearest(x, y, self.limits.radius_m + 2 * PARTING_M)
            self._touching = near.gap_m < self.limits.radius_m + PARTING_M

    def _pushed_out(self, x: float, y: float) -> tuple[float, float, bool]:
        """Return the nearest place where the base fits, and whether it had to be pushed."""
        radius = self.limits.radius_m
        contact = False
        for _ in range(PUSHES):
            gap, away, _ = self._footprints.nearest(x, y, radius)
            if gap >= radius - 1e-6:
                return x, y, contact
            contact = True
            x += float(away[0]) * (radius - gap)
            y += float(away[1]) * (radius - gap)
        if self._footprints.nearest(x, y, radius).gap_m < radius - 1e-3:
            # Wedged between two things: it stays where it was.
            return self.pose.x, self.pose.y, True
        return x, y, contact


def _towards(value: float, wanted: float, step: float) -> float:
    return min(max(wanted, value - step), value + step)
