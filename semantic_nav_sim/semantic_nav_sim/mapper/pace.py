"""Decision which scans and pictures are worth taking in."""

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D, wrap_angle


class Pace:
    """Lets one pass after some distance, angle or time, and not too soon after the last one.

    Otherwise a standing robot would write its pose error ever deeper into the map.
    """

    def __init__(self, travel_m: float, turn_rad: float, period_s: float,
                 interval_s: float = 0.0) -> None:
        """Start with nothing passed.

        Args:
            travel_m, turn_rad, period_s: any of them is enough.
            interval_s: least time between two.
        """
        self._travel_m, self._turn_rad = travel_m, turn_rad
        self._period_s, self._interval_s = period_s, interval_s
        self._last: tuple[Pose2D, int] | None = None

    def due(self, pose: Pose2D, stamp_ns: int) -> bool:
        """Tell whether one from this pose and time would pass."""
        if self._last is None:
            return True
        last, last_ns = self._last
        age_s = (stamp_ns - last_ns) / NS_PER_S
        # Negative: the clock jumped back.
        if age_s < 0 or age_s >= self._period_s:
            return True
        moved = (pose.distance_to(last.x, last.y) >= self._travel_m
                 or abs(wrap_angle(pose.yaw - last.yaw)) >= self._turn_rad)
        return moved and age_s >= self._interval_s

    def passed(self, pose: Pose2D, stamp_ns: int) -> None:
        """Note that one has passed."""
        self._last = pose, stamp_ns
