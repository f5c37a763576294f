"""Whether the poses of the scans went astray, and have not come back yet."""

import math

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D

#: More than this between two scans is no drive: metres, and metres for each second between them.
_JUMP_M, _SPEED_M_S = 0.4, 0.7
#: Whoever was so near to where it was before has come back, in metres.
_BACK_M = 0.4
#: What lasts longer than this was the truth, in seconds.
_LASTS_S = 15.0


class Displaced:
    """Follows the poses from scan to scan.

    A SLAM mends what it took in at a pose that it corrects later. This mapper does not, so that it
    takes in nothing while the pose may be taken back.
    """

    def __init__(self) -> None:
        """Have seen none."""
        self._last: tuple[Pose2D, int] | None = None
        self._off = (0.0, 0.0)
        self._since_ns: int | None = None
        self._unlike_since_ns: int | None = None
        # What is unlike the map has lasted: the map is to become like it.
        self._changed = False

    @property
    def now(self) -> bool:
        """Whether the last pose was displaced, or its scan unlike the map."""
        return self._since_ns is not None or self._unlike_since_ns is not None

    @property
    def jumped(self) -> bool:
        """Whether the last pose was displaced."""
        return self._since_ns is not None

    def compare(self, fits: bool, stamp_ns: int) -> bool:
        """Tell whether a scan counts: it fits the map, or none has for long, until one does.

        Args:
            fits: whether it can have been taken where it is told.
            stamp_ns: when it was taken.
        """
        since_ns = self._unlike_since_ns
        if fits:
            self._unlike_since_ns, self._changed = None, False
        elif since_ns is not None and not 0 <= stamp_ns - since_ns < _LASTS_S * NS_PER_S:
            self._unlike_since_ns, self._changed = None, True
        elif since_ns is None and not self._changed:
            self._unlike_since_ns = stamp_ns
        return self._unlike_since_ns is None

    def see(self, pose: Pose2D, stamp_ns: int) -> None:
        """Take the pose of a scan, in the map frame, with its stamp."""
        last, self._last = self._last, (pose, stamp_ns)
        if last is None:
            return
        before, before_ns = last
        between_s = (stamp_ns - before_ns) / NS_PER_S
        if self._since_ns is not None and not (
                0 <= stamp_ns - self._since_ns < _LASTS_S * NS_PER_S):
            self._off, self._since_ns = (0.0, 0.0), None
        if pose.distance_to(before.x, before.y) <= _JUMP_M + _SPEED_M_S * max(0.0, between_s):
            return
        self._off = self._off[0] + pose.x - before.x, self._off[1] + pose.y - before.y
        if math.hypot(*self._off) <= _BACK_M:
            self._off, self._since_ns = (0.0, 0.0), None
        elif self._since_ns is None:
            self._since_ns = stamp_ns
