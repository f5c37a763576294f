"""Tells from its poses whether the robot stands."""

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.geometry import Pose2D, wrap_angle

#: A robot that moves less than this from where it came to rest stands still.
_STILL_M, _STILL_RAD = 0.02, 0.02


class Standstill:
    """Watches the poses; a robot whose poses do not come any more is not known to stand."""

    def __init__(self, settle_s: float) -> None:
        """Take how long the robot must keep its pose."""
        self._settle_ns = nanoseconds(settle_s)
        self._pose: Pose2D | None = None
        self._since_ns = self._newest_ns = 0

    def begin(self, pose: Pose2D | None, stamp_ns: int) -> None:
        """Believe nothing from before this pose."""
        self._pose, self._since_ns, self._newest_ns = pose, stamp_ns, stamp_ns

    def see(self, pose: Pose2D | None, stamp_ns: int) -> None:
        """Take the newest pose, with the stamp of its measurement."""
        before, self._newest_ns = self._pose, stamp_ns
        if pose is None or before is None or pose.distance_to(before.x, before.y) > _STILL_M or (
                abs(wrap_angle(pose.yaw - before.yaw)) > _STILL_RAD):
            self._pose, self._since_ns = pose, stamp_ns

    @property
    def stands(self) -> bool:
        """Whether the robot kept its pose for long enough, by the stamps of the poses."""
        return self._pose is not None and self._newest_ns - self._since_ns >= self._settle_ns
