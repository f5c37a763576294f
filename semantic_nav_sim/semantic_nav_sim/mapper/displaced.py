"""Detection of scans whose poses went astray and have not come back yet."""

import math

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D

#: Largest motion between two scans: metres, and metres for each second between them.
_JUMP_M, _SPEED_M_S = 0.4, 0.7
#: Distance to the earlier position at which the robot has come back, in metres.
_BACK_M = 0.4
#: Duration after which a displacement counts as the truth, in seconds.
_LASTS_S = 15.0


class Displaced:
    """Follows the poses from scan to scan.

    A SLAM repairs its map when it corrects a pose later. This mapper does not, so it takes in
    nothing while the pose may still be corrected.
    """

    def __init__(self) -> None:
        """Start without a scan."""
        self._last: tuple[Pose2D, int] | None = None
        self._off = (0.0, 0.0)
        self._since_ns: int | None = None
        self._unlike_since_ns: int | None = None
        # The mismatch with the map has lasted, so the map must be changed.
        self._changed = False

    @property
    def now(self) -> bool:
        """Tell whether the last pose was displaced, or its scan did not fit the map."""
        return self._since_ns is not None or self._unlike_since_ns is not None

    @property
    def jumped(self) -> bool:
        """Tell whether the last pose was displaced."""
        return self._since_ns is not None

    def compare(self, fits: bool, stamp_ns: int) -> bool:
        """Tell whether a scan counts: it fits the map, or none has for long, until one does.

        Args:
            fits: whether the scan is consistent with the map at its pose.
            stamp_ns: of the scan.
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
        """Take in the pose of a scan, in the map frame, with its stamp."""
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
