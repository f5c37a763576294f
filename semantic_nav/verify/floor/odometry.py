"""Leaps of the odometry, as when two nodes publish it or the base resets its counters."""

import math
from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import nanoseconds, seconds
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.verify.events import PoseResolved

#: Fastest motion of a robot in a building, and the extra displacement allowed for a wheel that
#: slips or a driver that stamps late.
_FASTEST_M_S, _FASTEST_RAD_S, _BESIDE_M, _BESIDE_RAD = 3.0, 8.0, 0.5, 0.5
#: Least displacement and speed of a dart; and a number of darts to and fro, and a time for them
#: in s, of which no robot is capable.
_DART_M, _DART_RAD, _DART_M_S, _DART_RAD_S = 0.25, 0.4, 1.25, 2.0
_DARTS, _DARTS_WITHIN_S = 4, 3.0
#: A number of darts to and fro, and a time for them in s, that no uncertain localisation makes.
_WAVERS, _WAVERS_WITHIN_S = 6, 5.0
#: Largest distance between the end of a dart back and the origin, as a share of its length.
_BACK = 0.3
_ZERO = Pose2D(0.0, 0.0, 0.0)
#: Time without another leap after which the odometry is trusted again, in s.
_QUIET_S = 5.0
#: Tolerance of the zero pose after a reset, which no drive reaches so exactly, and the silence
#: of the driver after which a slow step to zero counts as a reset.
_ZERO_M, _ZERO_RAD, _SILENT_S = 0.001, 0.001, 1.0
#: Distance and angle within which the robot counts as back where it was before a leap.
_THERE_M, _THERE_RAD = 0.25, 0.2
#: Share of a leap from which on a single correction counts as following it, because a person
#: sets no pose exactly.
_CORRECTED = 0.5


@dataclass(frozen=True)
class _Dart:
    """A step between two poses that may be too quick: x and y in m, yaw in rad."""

    stamp_ns: int
    x: float
    y: float
    yaw: float

    @classmethod
    def between(cls, was: Pose2D, now: Pose2D, stamp_ns: int) -> '_Dart':
        """The step from one pose to another, with the stamp of the second."""
        return cls(stamp_ns, now.x - was.x, now.y - was.y, wrap_angle(now.yaw - was.yaw))

    @property
    def far_m(self) -> float:
        """Displacement in m."""
        return math.hypot(self.x, self.y)

    @property
    def size(self) -> float:
        """Displacement and turn added, where 1 m counts as 1 rad."""
        return self.far_m + abs(self.yaw)

    def is_beyond(self, far_m: float, far_rad: float) -> bool:
        """Tell whether its displacement or its turn exceeds a limit."""
        return self.far_m > far_m or abs(self.yaw) > far_rad

    def is_quick(self, step_s: float) -> bool:
        """Tell whether the step is a dart, given its duration."""
        return self.is_beyond(max(_DART_M, _DART_M_S * step_s),
                              max(_DART_RAD, _DART_RAD_S * step_s))

    def after(self, darts: tuple['_Dart', ...], within_s: float) -> tuple['_Dart', ...]:
        """Recent darts to and fro that end with this one; this one alone if it takes none back."""
        kept = tuple(one for one in darts
                     if self.stamp_ns - one.stamp_ns <= nanoseconds(within_s))
        return (*kept, self) if kept and self.takes_back(kept[-1]) else (self,)

    def words(self) -> str:
        """Displacement and turn, for people."""
        return f'{self.far_m:.1f} m and {abs(self.yaw):.1f} rad'

    def takes_back(self, other: '_Dart') -> bool:
        """Tell whether it leads back to the start of another dart."""
        return (math.hypot(self.x + other.x, self.y + other.y) <= _BACK * max(
            _DART_M, math.hypot(other.x, other.y))
            and abs(wrap_angle(self.yaw + other.yaw)) <= _BACK * max(_DART_RAD, abs(other.yaw)))


@dataclass(frozen=True)
class Odometry:
    """The newest pose of the robot by its odometry alone, and its last leap.

    All times are stamps of the poses, so a lagging executor makes no leap. If the stamps go back,
    as when a simulator is reset, the state is cleared. A correction of the localisation is no leap
    unless it goes to and fro. A leap that the odometry does not take back leaves the pose in the
    map wrong by as much, until the localisation follows it.

    Attributes:
        odom_T_base: the newest; None before the first.
        map_T_odom: the correction that belongs to it.
        stamp_ns: of the newest pose.
        darts: the last darts, each back to the start of the one before.
        leapt_ns: stamp of the first pose after the last leap; None for no leap.
        words: the leap, for people; empty for no leap.
        due: the map_T_odom that puts the robot back where it was before its last quick steps;
            None if they were taken back or followed.
        is_off: one of these steps was a leap, so the pose is wrong by it.
        followed: `due` of a leap that the localisation has just followed; None otherwise.
        corrections: the last darts of the localisation, as `darts`.
        wavered_ns: stamp of the last pose at which the localisation went to and fro.
        wavered: the wavering, for people.
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
        """Tell whether the last leap is so recent that another may follow."""
        return self._is_recent(self.leapt_ns)

    @property
    def wavers(self) -> bool:
        """Tell whether the localisation went to and fro so recently that it may again."""
        return self._is_recent(self.wavered_ns)

    @property
    def pose(self) -> Pose2D | None:
        """Pose by the odometry; None while it is zero, as for a robot without odometry."""
        told = self.odom_T_base.pose() if self.odom_T_base is not None else _ZERO
        return told if told.moved_from(_ZERO, _ZERO_M, _ZERO_RAD) else None

    @property
    def fault(self) -> str:
        """Reason not to trust the pose, with the remedy; empty if it is trusted."""
        if self.is_off:
            asked = ', or do two nodes publish it?' if self.leaps else ''
            return (f'{self.words}, and the localisation has not followed: set the pose anew (2D '
                    'Pose Estimate in RViz), or start the verifier again where it is right'
                    f'{asked}')
        if self.leaps:
            return f'{self.words}: do two nodes publish it?'
        return f'{self.wavered}: do two nodes publish it?' if self.wavers else ''

    def after(self, event: PoseResolved) -> 'Odometry':
        """The odometry after a new pose."""
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
        """Displacement of the robot in the map between two corrections."""
        assert self.odom_T_base is not None
        return _Dart.between((map_T_odom @ self.odom_T_base).pose(),
                             (other @ self.odom_T_base).pose(), self.stamp_ns)

    def _stepped(self, before: 'Odometry', *, leap: bool) -> 'Odometry':
        """The odometry with the correction that is due after another quick step."""
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
        """The odometry after a correction, which may follow a leap or go to and fro."""
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
