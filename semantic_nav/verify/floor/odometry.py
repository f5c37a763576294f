"""Leaps of the odometry: two nodes publish it, or the base began to count anew."""

import math
from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import nanoseconds, seconds
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.verify.events import PoseResolved

#: No robot in a building is faster. What it may be farther besides: a wheel that slipped, or a
#: driver that stamps late.
_FASTEST_M_S, _FASTEST_RAD_S, _BESIDE_M, _BESIDE_RAD = 3.0, 8.0, 0.5, 0.5
#: No robot darts so far and so fast and back to where it was, again and again, so often.
_DART_M, _DART_RAD, _DART_M_S, _DART_RAD_S = 0.25, 0.4, 1.25, 2.0
_DARTS, _DARTS_WITHIN_S = 4, 3.0
#: A localisation that doubts may go there and back, but not so often.
_WAVERS, _WAVERS_WITHIN_S = 6, 5.0
#: How far from where it was a dart back may end, as a share of its length.
_BACK = 0.3
_ZERO = Pose2D(0.0, 0.0, 0.0)
#: After the last leap so much must pass without another one.
_QUIET_S = 5.0
#: Odometry at 0 so exactly has begun anew, for no drive leads back there so; its driver may have
#: been silent before, for longer than this.
_ZERO_M, _ZERO_RAD, _SILENT_S = 0.001, 0.001, 1.0
#: The robot is where it was before a leap if it is as near to that, by map and odometry.
_THERE_M, _THERE_RAD = 0.25, 0.2
#: A correction by this share of a leap, at once, is one of it: a person sets no pose exactly.
_CORRECTED = 0.5


@dataclass(frozen=True)
class _Dart:
    """A step that may be quick for a robot: along x and y in m, and the turn in rad."""

    stamp_ns: int
    x: float
    y: float
    yaw: float

    @classmethod
    def between(cls, was: Pose2D, now: Pose2D, stamp_ns: int) -> '_Dart':
        """Return the step from one pose to another, of that stamp."""
        return cls(stamp_ns, now.x - was.x, now.y - was.y, wrap_angle(now.yaw - was.yaw))

    @property
    def far_m(self) -> float:
        """How far it leads."""
        return math.hypot(self.x, self.y)

    @property
    def size(self) -> float:
        """How far it leads and turns, a metre counting as a radian."""
        return self.far_m + abs(self.yaw)

    def is_beyond(self, far_m: float, far_rad: float) -> bool:
        """Tell whether it leads farther, or turns farther, than this."""
        return self.far_m > far_m or abs(self.yaw) > far_rad

    def is_quick(self, step_s: float) -> bool:
        """Tell whether so much in so short a time is quick."""
        return self.is_beyond(max(_DART_M, _DART_M_S * step_s),
                              max(_DART_RAD, _DART_RAD_S * step_s))

    def after(self, darts: tuple['_Dart', ...], within_s: float) -> tuple['_Dart', ...]:
        """Return those before, of late, that lead to and fro with it, and it."""
        kept = tuple(one for one in darts
                     if self.stamp_ns - one.stamp_ns <= nanoseconds(within_s))
        return (*kept, self) if kept and self.takes_back(kept[-1]) else (self,)

    def words(self) -> str:
        """Return how far it leads, for people."""
        return f'{self.far_m:.1f} m and {abs(self.yaw):.1f} rad'

    def takes_back(self, other: '_Dart') -> bool:
        """Tell whether it leads back to where the other one began."""
        return (math.hypot(self.x + other.x, self.y + other.y) <= _BACK * max(
            _DART_M, math.hypot(other.x, other.y))
            and abs(wrap_angle(self.yaw + other.yaw)) <= _BACK * max(_DART_RAD, abs(other.yaw)))


@dataclass(frozen=True)
class Odometry:
    """The newest place of the robot by its odometry alone, and its last leap.

    All times are stamps of the poses, so an executor that lags makes no leap; where the stamps go
    back, as where a simulator is reset, all begins anew. A correction of the localisation is no
    leap, but where it goes to and fro. A leap that the odometry does not take back leaves the pose
    in the map as far off until the localisation follows it.

    Attributes:
        odom_T_base: the newest; None before the first.
        map_T_odom: the correction that belongs to it.
        stamp_ns: of it.
        darts: the last quick steps, each back to where the one before began.
        leapt_ns: of the first pose after the last leap; None where there was none.
        words: how it leapt; empty where it did not.
        due: the correction by which the robot is where it was before its last quick steps; None
            where they were taken back or followed.
        is_off: one of these steps was a leap, so the pose is wrong by it.
        followed: `due` of a leap that the localisation has just followed; None otherwise.
        corrections: the last quick steps of the localisation, as `darts`.
        wavered_ns: of the last pose by which the localisation went to and fro.
        wavered: how it did, in words.
    """

    odom_T_base: Transform | None = None
    map_T_odom: Transform | None = None
    stamp_ns: int = 0
    darts: tuple[_Dart, ...] = ()
    leapt_ns: int | None = None
    words: str = ''
    due: Transform | None = None
    is_off: bool = False
    followed: Transform | None = None
    corrections: tuple[_Dart, ...] = ()
    wavered_ns: int | None = None
    wavered: str = ''

    @property
    def leaps(self) -> bool:
        """Whether its last leap was so short a time ago that the next may come."""
        return self._is_recent(self.leapt_ns)

    @property
    def wavers(self) -> bool:
        """Whether the localisation went to and fro so short a time ago that it may again."""
        return self._is_recent(self.wavered_ns)

    @property
    def pose(self) -> Pose2D | None:
        """Where it says the robot is; None where it has told of no motion, as where it is none."""
        told = self.odom_T_base.pose() if self.odom_T_base is not None else _ZERO
        return told if told.moved_from(_ZERO, _ZERO_M, _ZERO_RAD) else None

    @property
    def fault(self) -> str:
        """Why the pose is not believed, and what to do; empty where it is."""
        if self.is_off:
            asked = ', or do two nodes publish it?' if self.leaps else ''
            return (f'{self.words}, and the localisation has not followed: set the pose anew (2D '
                    'Pose Estimate in RViz), or start the verifier again where it is right'
                    f'{asked}')
        if self.leaps:
            return f'{self.words}: do two nodes publish it?'
        return f'{self.wavered}: do two nodes publish it?' if self.wavers else ''

    def after(self, event: PoseResolved) -> 'Odometry':
        """Return it with a new pose."""
        odom_T_base = event.map_T_odom.inverse() @ event.map_T_base
        if self.odom_T_base is None or event.stamp_ns < self.stamp_ns:
            return Odometry(odom_T_base, event.map_T_odom, event.stamp_ns)
        after = replace(self, odom_T_base=odom_T_base, map_T_odom=event.map_T_odom,
                        stamp_ns=event.stamp_ns, followed=None)
        was, now = self.odom_T_base.pose(), odom_T_base.pose()
        step_s = seconds(event.stamp_ns - self.stamp_ns)
        step = _Dart.between(was, now, event.stamp_ns)
        anew = not now.moved_from(_ZERO, _ZERO_M, _ZERO_RAD) and (step.is_quick(step_s) or (
            step_s > _SILENT_S and step.is_beyond(_DART_M, _DART_RAD)))
        leap = anew or step.is_beyond(_BESIDE_M + _FASTEST_M_S * step_s,
                                      _BESIDE_RAD + _FASTEST_RAD_S * step_s)
        if leap or step.is_quick(step_s):
            after = replace(after._stepped(self, leap=leap),
                            darts=step.after(self.darts, _DARTS_WITHIN_S))
        if leap or len(after.darts) == _DARTS:
            by = f'{step.words()} in {step_s:.1f} s'
            after = replace(
                after, darts=after.darts[1 - _DARTS:], leapt_ns=event.stamp_ns,
                words=f'the odometry began anew: it leapt by {by}' if anew else (
                    f'the odometry leapt by {by}'))
        return after._corrected(self, step_s)

    def _is_recent(self, since_ns: int | None) -> bool:
        return since_ns is not None and self.stamp_ns - since_ns < nanoseconds(_QUIET_S)

    def _off(self, map_T_odom: Transform, other: Transform) -> _Dart:
        """Return the step of the robot from where one correction puts it to where another does."""
        assert self.odom_T_base is not None
        return _Dart.between((map_T_odom @ self.odom_T_base).pose(),
                             (other @ self.odom_T_base).pose(), self.stamp_ns)

    def _stepped(self, before: 'Odometry', *, leap: bool) -> 'Odometry':
        """Return it with the correction that is due after another quick step."""
        assert self.odom_T_base is not None and self.map_T_odom is not None
        assert before.odom_T_base is not None and before.map_T_odom is not None
        step = before.odom_T_base @ self.odom_T_base.inverse()
        due = self.due @ step if self.due is not None else None
        if due is not None and (
                not self._off(self.map_T_odom, due).is_beyond(_THERE_M, _THERE_RAD)
                or (leap and self.is_off)):
            return replace(self, due=due)
        if not leap and self.is_off:
            return self
        return replace(self, due=before.map_T_odom @ step, is_off=leap)

    def _corrected(self, before: 'Odometry', step_s: float) -> 'Odometry':
        """Return it as the localisation corrects it, which may follow a leap, or go to and fro."""
        assert self.map_T_odom is not None and before.map_T_odom is not None
        after, step = self, self._off(before.map_T_odom, self.map_T_odom)
        if step.is_quick(step_s):
            after = replace(after, corrections=step.after(
                self.corrections, _WAVERS_WITHIN_S))
        if len(after.corrections) == _WAVERS:
            after = replace(after, corrections=after.corrections[1 - _WAVERS:],
                            wavered_ns=self.stamp_ns, wavered='the localisation leaps to and fro '
                            f'by {step.words()}')
        if self.due is None or not (
                (before.is_off and step.size >= max(_THERE_M, _CORRECTED * self._off(
                    before.map_T_odom, self.due).size))
                or not self._off(self.map_T_odom, self.due).is_beyond(_THERE_M, _THERE_RAD)):
            return after
        return replace(after, due=None, is_off=False, followed=self.due if self.is_off else None)
