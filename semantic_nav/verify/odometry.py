"""Leaps of the odometry: it goes faster than any robot does, as where two nodes publish it."""

import math
from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import nanoseconds, seconds
from semantic_nav.contracts.geometry import Transform, wrap_angle
from semantic_nav.verify.events import PoseResolved

#: No robot in a building is faster. What it may be farther besides: a wheel that slipped, or a
#: driver that stamps late.
_FASTEST_M_S, _FASTEST_RAD_S, _BESIDE_M, _BESIDE_RAD = 3.0, 8.0, 0.5, 0.5
#: No robot darts so far and so fast and back to where it was, again and again, so often.
_DART_M, _DART_RAD, _DART_M_S, _DART_RAD_S = 0.25, 0.4, 1.25, 2.0
_DARTS, _DARTS_WITHIN_S = 4, 3.0
#: How far from where it was a dart back may end, as a share of its length.
_BACK = 0.3
#: After the last leap so much must pass without another one.
_QUIET_S = 5.0


@dataclass(frozen=True)
class _Dart:
    """A step that is quick for a robot: along x and y in m, and the turn in rad."""

    stamp_ns: int
    x: float
    y: float
    yaw: float

    def takes_back(self, other: '_Dart') -> bool:
        """Tell whether it leads back to where the other one began."""
        return (math.hypot(self.x + other.x, self.y + other.y) <= _BACK * max(
            _DART_M, math.hypot(other.x, other.y))
            and abs(wrap_angle(self.yaw + other.yaw)) <= _BACK * max(_DART_RAD, abs(other.yaw)))


@dataclass(frozen=True)
class Odometry:
    """The newest place of the robot by its odometry alone, and its last leap.

    All times are stamps of the poses, so an executor that lags makes no leap; where the stamps go
    back, as where a simulator is reset, all begins anew. What the localisation corrects is none.

    Attributes:
        odom_T_base: the newest; None before the first.
        stamp_ns: of it.
        darts: the last quick steps, each back to where the one before began.
        leapt_ns: of the first pose after the last leap; None where there was none.
        words: how it leapt; empty where it did not.
    """

    odom_T_base: Transform | None = None
    stamp_ns: int = 0
    darts: tuple[_Dart, ...] = ()
    leapt_ns: int | None = None
    words: str = ''

    @property
    def leaps(self) -> bool:
        """Whether its last leap was so short a time ago that the next may come."""
        return self.leapt_ns is not None and (
            self.stamp_ns - self.leapt_ns < nanoseconds(_QUIET_S))

    def after(self, event: PoseResolved) -> 'Odometry':
        """Return it with a new pose."""
        odom_T_base = event.map_T_odom.inverse() @ event.map_T_base
        if self.odom_T_base is None or event.stamp_ns < self.stamp_ns:
            return Odometry(odom_T_base, event.stamp_ns)
        was, now = self.odom_T_base.pose(), odom_T_base.pose()
        step_s = seconds(event.stamp_ns - self.stamp_ns)
        step = _Dart(event.stamp_ns, now.x - was.x, now.y - was.y, wrap_angle(now.yaw - was.yaw))
        far_m, far_rad = math.hypot(step.x, step.y), abs(step.yaw)
        after = replace(self, odom_T_base=odom_T_base, stamp_ns=event.stamp_ns)
        if far_m > max(_DART_M, _DART_M_S * step_s) or (
                far_rad > max(_DART_RAD, _DART_RAD_S * step_s)):
            after = replace(after, darts=self._with(step))
        if far_m > _BESIDE_M + _FASTEST_M_S * step_s or (
                far_rad > _BESIDE_RAD + _FASTEST_RAD_S * step_s) or len(after.darts) == _DARTS:
            return replace(after, darts=after.darts[1 - _DARTS:], leapt_ns=event.stamp_ns, words=(
                f'the odometry leapt by {far_m:.1f} m and {far_rad:.1f} rad in {step_s:.1f} s'))
        return after

    def _with(self, step: _Dart) -> tuple[_Dart, ...]:
        kept = tuple(one for one in self.darts
                     if step.stamp_ns - one.stamp_ns <= nanoseconds(_DARTS_WITHIN_S))
        return (*kept, step) if kept and step.takes_back(kept[-1]) else (step,)
