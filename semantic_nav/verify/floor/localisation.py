"""Pose of the robot in the map frame, and jumps of the localisation."""

import math
from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.events import PoseResolved
from semantic_nav.verify.floor.odometry import Odometry

#: Correction of the localisation from which on it is a jump, in m.
JUMP_M = 0.5
#: Time in s within which small corrections add up to a jump (a creep), and the share of the way
#: that is allowed besides for the drift of odometry. Two errors of AMCL differ by at most 0.4 m.
CREEP_S, _DRIFT = 10.0, 0.03
#: Distance and angle to the pose without the jump below which a jump counts as taken back.
_TAKEN_BACK_M, _TAKEN_BACK_RAD = 0.25, 0.2


@dataclass(frozen=True)
class Correction:
    """A correction of the odometry.

    Attributes:
        since_ns: when it came, on the steady clock.
        odom_T_base: pose by the odometry when it came.
        moved_m: x and y by which the kept corrections together had moved the robot, each measured
            at the pose where it came. A pure turn adds nothing.
    """

    since_ns: int
    map_T_odom: Transform
    odom_T_base: Transform
    moved_m: tuple[float, float]


@dataclass(frozen=True)
class Shift:
    """Displacement of the robot by the localisation, without driving.

    Attributes:
        by_m: distance.
        within_s: duration; 0: from one pose to the next.
        before: the map_T_odom before it; None for none.
    """

    by_m: float = 0.0
    within_s: float = 0.0
    before: Transform | None = None

    @property
    def is_jump(self) -> bool:
        """Tell whether it is farther than a localisation usually corrects."""
        return self.by_m >= JUMP_M

    @property
    def words(self) -> str:
        """The shift, for people."""
        if not self.within_s:
            return f'the localisation jumped by {self.by_m:.2f} m'
        return f'the localisation crept by {self.by_m:.2f} m within {self.within_s:.0f} s,'


@dataclass(frozen=True)
class Localisation:
    """Pose of the robot in the map frame, and the last jump.

    Attributes:
        pose: the newest known; None before the first.
        map_T_odom: the correction that belongs to it.
        stamp_ns: of its measurement, on the ROS clock.
        missing: reason for no pose, or for no newer one.
        jump: the last jump of the localisation; None for none.
        jumped_ns: time of the jump, on the steady clock.
        before_jump: the correction before it, or before an earlier jump that was still doubted;
            None if the jumps were taken back.
        odometry: of the robot, with its leaps.
        corrections: those since the last jump within the time of a creep, oldest first.
    """

    pose: Pose2D | None = None
    map_T_odom: Transform | None = None
    stamp_ns: int = 0
    missing: str = 'no transform yet'
    jump: Shift | None = None
    jumped_ns: int = 0
    before_jump: Transform | None = None
    odometry: Odometry = Odometry()
    corrections: tuple[Correction, ...] = ()

    @property
    def rolled(self) -> Pose2D | None:
        """Pose by the odometry alone, without corrections; pose in the map if there is none."""
        return self.pose if self.pose is None else self.odometry.pose or self.pose

    @property
    def is_displaced(self) -> bool:
        """Tell whether its pose still differs from that without the last jump."""
        if self.before_jump is None or self.map_T_odom is None or self.pose is None:
            return False
        base = Transform.from_pose(self.pose)
        before = (self.before_jump @ self.map_T_odom.inverse() @ base).pose()
        return self.pose.moved_from(before, _TAKEN_BACK_M, _TAKEN_BACK_RAD)

    def is_doubted(self, now: Now, doubt_s: float) -> bool:
        """Tell whether its jumps may be taken back; they are believed after `doubt_s`."""
        return now.steady_ns - self.jumped_ns < nanoseconds(doubt_s) and self.is_displaced

    def followed(self, event: PoseResolved) -> 'Localisation':
        """The localisation with the correction that is due after a leap of the odometry.

        While the pose is off by a leap, corrections say nothing of what was seen. The correction
        that follows the leap is a jump only as far as it differs from the one that was due.
        """
        odometry = self.odometry.after(event)
        due = event.map_T_odom if odometry.is_off else odometry.followed
        return self if due is None else replace(self, map_T_odom=due, corrections=())

    def shift_by(self, event: PoseResolved, *, doubted: bool) -> Shift:
        """Shift of the robot by the localisation with a new pose.

        Args:
            event: has the pose.
            doubted: an earlier jump may still be taken back, also in small steps.
        """
        if self.map_T_odom is None:
            return Shift()
        step_m = self._step_m(event)
        at_once = Shift(math.hypot(*step_m), 0.0, self.map_T_odom)
        if at_once.is_jump or doubted or not self.corrections:
            return at_once
        oldest, newest = self.corrections[0], self.corrections[-1]
        odom_T_base = event.map_T_odom.inverse() @ event.map_T_base
        way_m = math.dist(odom_T_base.translation, oldest.odom_T_base.translation)
        crept_m = math.dist(_sum(newest.moved_m, step_m), oldest.moved_m)
        return at_once if crept_m - _DRIFT * way_m < JUMP_M else Shift(
            crept_m, CREEP_S, oldest.map_T_odom)

    def after(self, event: PoseResolved, shift: Shift, now: Now, *,
              doubted: bool) -> 'Localisation':
        """The localisation after a new pose.

        Args:
            event: has the pose.
            shift: of the robot by the localisation.
            now: the time.
            doubted: an earlier jump may still be taken back.
        """
        after = replace(self, pose=event.map_T_base.pose(), map_T_odom=event.map_T_odom,
                        stamp_ns=event.stamp_ns, missing='', odometry=self.odometry.after(event))
        after = replace(after, corrections=after._corrected(
            () if shift.is_jump or doubted else self.corrections, self._step_m(event), now))
        back = self.before_jump is not None and not after.is_displaced
        if not shift.is_jump:
            return replace(after, before_jump=None) if doubted and back else after
        trusted = self.before_jump if doubted else shift.before
        return replace(after, jump=shift, jumped_ns=now.steady_ns,
                       before_jump=None if back else trusted)

    def _step_m(self, event: PoseResolved) -> tuple[float, float]:
        """Shift by the new correction against the one before, along x and y of the map, in m."""
        if self.map_T_odom is None:
            return 0.0, 0.0
        here = event.map_T_base.pose()
        there = (self.map_T_odom @ event.map_T_odom.inverse() @ event.map_T_base).pose()
        return here.x - there.x, here.y - there.y

    def _corrected(self, before: tuple[Correction, ...], step_m: tuple[float, float],
                   now: Now) -> tuple[Correction, ...]:
        """Corrections with the newest one, without those that ended longer ago than a creep."""
        assert self.map_T_odom is not None and self.odometry.odom_T_base is not None
        over_ns = now.steady_ns - nanoseconds(CREEP_S)
        kept = before[sum(one.since_ns <= over_ns for one in before[1:]):]
        return kept if kept and kept[-1].map_T_odom == self.map_T_odom else (
            *kept, Correction(now.steady_ns, self.map_T_odom, self.odometry.odom_T_base,
                              _sum(kept[-1].moved_m, step_m) if kept else (0.0, 0.0)))


def _sum(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]
