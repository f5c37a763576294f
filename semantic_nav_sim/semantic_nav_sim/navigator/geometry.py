"""Poses, velocities and angles in the plane."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Pose:
    """A pose in the global frame: x, y [m], yaw [rad]."""

    x: float
    y: float
    yaw: float

    def distance_m(self, x: float, y: float) -> float:
        """Distance to a point [m]."""
        return math.hypot(x - self.x, y - self.y)

    def moved(self, forward_m: float, turn_rad: float) -> Pose:
        """The pose after driving an arc: length [m] (negative backwards) and turn [rad]."""
        middle = self.yaw + turn_rad / 2.0
        half = turn_rad / 2.0
        chord = forward_m * (math.sin(half) / half if abs(half) > 1e-9 else 1.0)
        return Pose(self.x + chord * math.cos(middle), self.y + chord * math.sin(middle),
                    wrap(self.yaw + turn_rad))


@dataclass(frozen=True)
class Velocity:
    """A velocity of the base: forward [m/s], turning [rad/s]."""

    linear: float = 0.0
    angular: float = 0.0


STOP = Velocity()


def wrap(angle_rad: float) -> float:
    """Wrap an angle to -pi..pi [rad]."""
    return math.remainder(angle_rad, math.tau)


def clamp(value: float, limit: float) -> float:
    """Clip a value to -limit..limit."""
    return min(max(value, -limit), limit)
