"""Tells from its poses whether the robot stands."""

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.geometry import Pose2D

#: A robot on its way that moves less than this for long gets nowhere.
_STUCK_M, _STUCK_RAD = 0.10, 0.20


class Standstill:
    """Watches the poses; a robot whose poses do not come any more is not known to stand."""

    def __init__(self, settle_s: float, still_m: float = 0.02, still_rad: float = 0.02) -> None:
        """Say what standing means.

        Args:
            settle_s: how long the robot must keep its pose.
            still_m, still_rad: how far it may move from where it came to rest meanwhile.
        """
        self._settle_ns = nanoseconds(settle_s)
        self._still_m, self._still_rad = still_m, still_rad
        self._pose: Pose2D | None = None
        self._since_ns = self._newest_ns = 0
        self._began_ns = self._seen_ns = 0
        self._moved = False

    def begin(self, pose: Pose2D | None, stamp_ns: int, steady_ns: int) -> None:
        """Believe nothing from before this pose."""
        self._rest(pose, stamp_ns, steady_ns)
        self._newest_ns, self._seen_ns, self._moved = stamp_ns, steady_ns, False

    def see(self, pose: Pose2D | None, stamp_ns: int, steady_ns: int) -> None:
        """Take the newest pose, with the stamp of its measurement and when it was seen."""
        before, back = self._pose, stamp_ns < self._newest_ns
        self._newest_ns, self._seen_ns = stamp_ns, steady_ns
        moved = pose is not None and before is not None and (
            pose.moved_from(before, self._still_m, self._still_rad))
        self._moved = self._moved or moved
        # Where the clock jumped back, the time before counts no more.
        if pose is None or before is None or back or moved:
            self._rest(pose, stamp_ns, steady_ns)

    def _rest(self, pose: Pose2D | None, stamp_ns: int, steady_ns: int) -> None:
        self._pose, self._since_ns, self._began_ns = pose, stamp_ns, steady_ns

    @property
    def moved(self) -> bool:
        """Whether the robot left a pose since the last `begin`."""
        return self._moved

    @property
    def located(self) -> bool:
        """Whether there was a pose."""
        return self._pose is not None

    @property
    def stands(self) -> bool:
        """Whether the robot kept its pose for long enough.

        By the stamps of the poses, since they may come late, and by the steady clock, since the
        one that stamps may jump ahead between two of them.
        """
        return self._pose is not None and self._settle_ns <= min(
            self._newest_ns - self._since_ns, self._seen_ns - self._began_ns)


def getting_nowhere(stuck_s: float) -> Standstill:
    """Return what tells whether a robot on its way got nowhere for so many seconds."""
    return Standstill(stuck_s, _STUCK_M, _STUCK_RAD)
