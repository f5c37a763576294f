"""Detection of a standstill from the poses of the robot."""

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.geometry import Pose2D

#: Motion below which a robot on its way makes no progress, in m and in rad.
_STUCK_M, _STUCK_RAD = 0.10, 0.20


class Standstill:
    """Detector of a standstill; a robot without new poses is not known to stand."""

    def __init__(self, settle_s: float, still_m: float = 0.02, still_rad: float = 0.02) -> None:
        """Set the limits of a standstill.

        Args:
            settle_s: time for which the robot must keep its pose.
            still_m, still_rad: largest motion from the pose of rest meanwhile.
        """
        self._settle_ns = nanoseconds(settle_s)
        self._still_m, self._still_rad = still_m, still_rad
        self._pose: Pose2D | None = None
        self._since_ns = self._newest_ns = 0
        self._began_ns = self._seen_ns = 0
        self._moved = False

    def begin(self, pose: Pose2D | None, stamp_ns: int, steady_ns: int) -> None:
        """Forget everything before this pose."""
        self._rest(pose, stamp_ns, steady_ns)
        self._newest_ns, self._seen_ns, self._moved = stamp_ns, steady_ns, False

    def see(self, pose: Pose2D | None, stamp_ns: int, steady_ns: int) -> None:
        """Take the newest pose, with the stamp of its measurement and the time it was seen."""
        before, back = self._pose, stamp_ns < self._newest_ns
        self._newest_ns, self._seen_ns = stamp_ns, steady_ns
        moved = pose is not None and before is not None and (
            pose.moved_from(before, self._still_m, self._still_rad))
        self._moved = self._moved or moved
        # After a backward jump of the clock earlier time no longer counts.
        if pose is None or before is None or back or moved:
            self._rest(pose, stamp_ns, steady_ns)

    def _rest(self, pose: Pose2D | None, stamp_ns: int, steady_ns: int) -> None:
        self._pose, self._since_ns, self._began_ns = pose, stamp_ns, steady_ns

    @property
    def moved(self) -> bool:
        """Tell whether the robot left a pose since the last `begin`."""
        return self._moved

    @property
    def located(self) -> bool:
        """Tell whether a pose is known."""
        return self._pose is not None

    @property
    def stands(self) -> bool:
        """Tell whether the robot kept its pose for long enough.

        Both clocks must agree: the stamps, because poses may come late, and the steady clock,
        because the clock of the stamps may jump ahead between two poses.
        """
        return self._pose is not None and self._settle_ns <= min(
            self._newest_ns - self._since_ns, self._seen_ns - self._began_ns)


def getting_nowhere(stuck_s: float) -> Standstill:
    """Detector of a robot on its way that makes no progress for `stuck_s`."""
    return Standstill(stuck_s, _STUCK_M, _STUCK_RAD)
