"""The robot's pose, its trust, and the distance driven."""

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.documents import RobotPose
from semantic_nav.contracts.geometry import Pose2D

#: Longest time between two poses of a robot that stands without a goal, in s.
_TOLD_AGAIN_S = 90.0


class Trail:
    """Follows the robot's pose between places."""

    def __init__(self, timeout_s: float, jump_limit_m: float) -> None:
        """Start without a pose.

        Args:
            timeout_s: age from which a pose is not trusted.
            jump_limit_m: size of a localisation jump beyond which the path so far is useless.
        """
        self._timeout_s = timeout_s
        self._jump_limit_m = jump_limit_m
        self._stamp_ns: int | None = None
        self._healthy = False
        self._last: Pose2D | None = None
        self._driven_m = 0.0
        self._unbroken = False

    def on_pose(self, stamp_ns: int, robot: RobotPose) -> None:
        """Take a pose in the map frame and its stamp on the ROS clock."""
        self._stamp_ns = stamp_ns
        self._healthy = robot.healthy
        if robot.jump_m > self._jump_limit_m:
            self._unbroken = False
        if not robot.healthy:
            return
        if self._last is not None:
            self._driven_m += self._last.distance_to(robot.pose.x, robot.pose.y)
        self._last = robot.pose

    def trusted(self, now: Now) -> bool:
        """Tell whether the newest pose is fresh and healthy."""
        return (self._stamp_ns is not None and self._healthy
                and abs(seconds(now.clock_ns - self._stamp_ns)) <= self._timeout_s)

    def robot(self, now: Now) -> Pose2D | None:
        """The robot's pose; while it stands without a goal, an older one is allowed; else None."""
        if self._stamp_ns is None or not self._healthy or not (
                -self._timeout_s <= seconds(now.clock_ns - self._stamp_ns) <= _TOLD_AGAIN_S):
            return None
        return self._last

    def driven_m(self) -> float | None:
        """Distance driven since the last place, in m; None if the path to it is broken."""
        return self._driven_m if self._unbroken else None

    def at_place(self) -> None:
        """Start a new stretch: the robot is at a place."""
        self._driven_m = 0.0
        self._unbroken = True
