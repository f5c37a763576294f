"""Clocks of base and sensors: the offset of each, from the stamps of its messages."""

from collections import defaultdict
from collections.abc import Callable

from rclpy.time import Time
from tf2_ros import Buffer, TransformException

from semantic_nav.contracts.stamps import ClockGap, words_of_gap
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.robot_pose import Frames

#: Largest delay of a stamp, for measuring, computing and sending, and largest lead, in s.
_BEHIND_S, _AHEAD_S = 0.55, 0.1


class Clocks:
    """Gaps of all clocks against the clock of the node."""

    def __init__(self, buffer: Buffer, frames: Frames, now_ns: Callable[[], int]) -> None:
        """Begin with no clock known.

        Args:
            buffer: TF buffer for lookups.
            frames: frames of the robot.
            now_ns: returns the ROS time, in ns; 0 before it has begun.
        """
        self._buffer, self._frames, self._now_ns = buffer, frames, now_ns
        self._base = f'TF {frames.odom} -> {frames.base} (the base)'
        self._base_stamp_ns = 0
        self._gaps: defaultdict[str, ClockGap] = defaultdict(ClockGap)

    def take(self, topic: str, said_ns: int) -> None:
        """Take the stamp of a message that has just arrived, in ns."""
        now_ns = self._now_ns()
        if now_ns and said_ns:
            self._gaps[topic].take(said_ns, now_ns)

    def fault_of_base(self) -> str:
        """Offset of the base's clock, in words, by its newest transform; empty if none."""
        try:
            newest = self._buffer.lookup_transform(self._frames.odom, self._frames.base, Time())
        except TransformException:
            return self._fault_of(self._base)
        said_ns = stamp_ns(newest.header.stamp)
        if said_ns != self._base_stamp_ns:
            self._base_stamp_ns = said_ns
            self.take(self._base, said_ns)
        return self._fault_of(self._base)

    @property
    def fault(self) -> str:
        """Clocks that are off, by how much, and the cure, in words; empty if none is."""
        return '; '.join(filter(None, map(self._fault_of, tuple(self._gaps))))

    def _fault_of(self, whose: str) -> str:
        behind_s = self._gaps[whose].behind_s
        return '' if -_AHEAD_S <= behind_s <= _BEHIND_S else words_of_gap(whose, behind_s)

    def state(self) -> tuple[Level, str]:
        """State of the clocks, for /diagnostics."""
        return (Level.WARN, self.fault) if self.fault else (Level.OK, 'in step')
