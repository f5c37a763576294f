"""Where the robot is, whether that can be relied on, and how far it drove."""

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.documents import RobotPose
from semantic_nav.contracts.geometry import Pose2D

#: A robot that stands without a goal says so at least so often, in s.
_TOLD_AGAIN_S = 90.0


class Trail:
    """Follows the robot's pose between places."""

    def __init__(self, timeout_s: float, jump_limit_m: float) -> None:
        """Begin without a pose.

        Args:
            timeout_s: age from which on a pose is not trusted.
            jump_limit_m: a jump of the localisation beyond this makes the path so far useless.
        """
        self._timeout_s = timeout_s
        self._jump_limit_m = jump_limit_m
        self._stamp_ns: int | None = None
        self._healthy = False
        self._last: Pose2D | None = None
        self._driven_m = 0.0
        self._unbroken = False

    def on_pose(self, stamp_ns: int, robot: RobotPose) -> None:
        """Take in a pose in the map frame and its stamp on the ROS clock."""
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
        """Tell whether the robot knows now where it is."""
        return (self._stamp_ns is not None and self._healthy
                and abs(seconds(now.clock_ns - self._stamp_ns)) <= self._timeout_s)

    def robot(self, now: Now) -> Pose2D | None:
        """Return where the robot is, of which little is told while it stands without a goal."""
        if self._stamp_ns is None or not self._healthy or not (
                -self._timeout_s <= seconds(now.clock_ns - self._stamp_ns) <= _TOLD_AGAIN_S):
            return None
        return self._last

    def driven_m(self) -> float | None:
        """Return the way since the last place, or None where none leads back to it."""
        return self._driven_m if self._unbroken else None

    def at_place(self) -> None:
        """Begin a new stretch: the robot is at a place."""
        self._driven_m = 0.0
        self._unbroken = True
