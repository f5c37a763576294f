"""Pose of the robot, by TF."""

from collections.abc import Callable
from dataclasses import dataclass

from rclpy.time import Time
from tf2_ros import Buffer, TransformException

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import transform_of
from semantic_nav.nodes.ros.judging_buffer import refused_by
from semantic_nav.verify.events import PoseMissing, PoseResolved
from semantic_nav.verify.floor.odometry import Odometry
from semantic_nav.verify.grounding.plausible import plausible

#: Largest lead of a localisation's stamp, in s: a correction is stamped ahead, by AMCL a second,
#: and holds until the next one.
_CORRECTION_AHEAD_S = 5.0


@dataclass(frozen=True)
class Frames:
    """Names of the frames of map and robot."""

    map: str
    odom: str
    base: str


class PoseSource:
    """Resolver of the robot's newest pose, which reports how that goes."""

    def __init__(self, buffer: Buffer, frames: Frames, most_ahead_s: float,
                 now_ns: Callable[[], int], tell: Callable[[Level, str], None],
                 clock_fault: Callable[[], str] = lambda: '') -> None:
        """Use a buffer that a listener fills.

        Args:
            buffer: TF buffer for lookups.
            frames: frames of map and robot.
            most_ahead_s: largest lead of the odometry's TF over the clock, in s.
            now_ns: returns the ROS time, in ns; 0 before it has begun.
            tell: takes level and words of the state of the pose.
            clock_fault: returns the offset of the base's clock, in words; empty if it is none.
        """
        self._buffer, self._frames, self._most_ahead_s = buffer, frames, most_ahead_s
        self._now_ns, self._tell = now_ns, tell
        self._clock_fault = clock_fault
        self._was_ahead = False
        self._odometry = Odometry()

    def resolve(self) -> PoseResolved | PoseMissing:
        """Newest pose, or the reason why there is none."""
        fault, event = self._clock_fault(), self._looked_up()
        if fault and (isinstance(event, PoseMissing) or self._age_s(event) > self._most_ahead_s):
            self._tell(Level.WARN, fault)
            return PoseMissing(fault)
        believed = plausible(event)
        if isinstance(event, PoseResolved):
            self._was_ahead = False
            if isinstance(believed, PoseMissing):
                self._tell(Level.ERROR, believed.reason)
                return believed
            self._odometry = self._odometry.after(event)
            refused = refused_by(self._buffer) if self._age_s(event) > self._most_ahead_s else ''
            self._tell(*(Level.ERROR, self._words_of(self._odometry)) if self._odometry.fault
                       else (Level.WARN, refused) if refused else (Level.OK, 'known'))
        elif self._was_ahead:
            self._tell(Level.WARN, 'TF was ahead of the clock, as after a jump back: forgot it '
                       'and wait for newer')
        else:
            words = f'waiting for TF {self._frames.map} -> {self._frames.base}'
            self._tell(Level.WARN, '; '.join(filter(None, (words, refused_by(self._buffer)))))
        return event

    def _age_s(self, event: PoseResolved) -> float:
        return seconds(self._now_ns() - event.stamp_ns)

    def _words_of(self, odometry: Odometry) -> str:
        frames = self._frames
        parent, child = (frames.odom, frames.base) if odometry.is_off or odometry.leaps else (
            frames.map, frames.odom)
        asked = ' Let one alone do so (ros2 topic info -v /tf, ros2 run tf2_ros tf2_monitor)' if (
            odometry.fault.endswith('?')) else ''
        return f'{parent} -> {child}: {odometry.fault}{asked}'

    def _looked_up(self) -> PoseResolved | PoseMissing:
        frames, now_ns = self._frames, self._now_ns()
        if now_ns == 0:
            return PoseMissing('ROS time has not begun: nothing came on /clock')
        ahead_s = self._ahead_s(now_ns)
        if ahead_s > 0.0:
            # tf2 would keep these transforms, and drop new ones as too old.
            self._was_ahead = True
            self._buffer.clear()
            return PoseMissing(f'TF was {ahead_s:.1f} s ahead of the clock')
        try:
            base = self._buffer.lookup_transform(frames.map, frames.base, Time())
            odom = self._buffer.lookup_transform(frames.map, frames.odom,
                                                 Time.from_msg(base.header.stamp))
        except TransformException as error:
            return PoseMissing(str(error)[:300])
        return PoseResolved(stamp_ns(base.header.stamp), transform_of(base), transform_of(odom))

    def _ahead_s(self, now_ns: int) -> float:
        """Lead of TF over the clock, in s; 0 if it is within the limit.

        The two transforms may be ahead where the pose is not: they need not have a moment in
        common.
        """
        frames = self._frames
        for parent, child, most_s in ((frames.map, frames.odom, _CORRECTION_AHEAD_S),
                                      (frames.odom, frames.base, self._most_ahead_s)):
            try:
                newest = self._buffer.lookup_transform(parent, child, Time())
            except TransformException:
                continue
            ahead_s = seconds(stamp_ns(newest.header.stamp) - now_ns)
            if ahead_s > most_s:
                return ahead_s
        return 0.0
