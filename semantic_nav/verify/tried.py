"""What was done for the current goal, so that it is not done again, or not at once."""

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.geometry import Pose2D


class Tried:
    """Memory of one goal's acts.

    Attributes:
        nodes: remembered places that were visited.
        stand_offs: poses from which the target was looked at to confirm it.
        turns: poses in which the robot turned at a stand-off, for another view of the target.
        viewpoints: poses that were explored.
    """

    def __init__(self, failure_memory_s: float) -> None:
        """Hold failures against a pose for some time: what blocked the way may go away."""
        self._failure_memory_ns = nanoseconds(failure_memory_s)
        self._failed: list[tuple[int, Pose2D, bool]] = []
        self.nodes: set[str] = set()
        self.stand_offs: list[Pose2D] = []
        self.turns: list[Pose2D] = []
        self.viewpoints: list[Pose2D] = []

    def fail(self, pose: Pose2D, now: Now, *, turning: bool = False) -> None:
        """Remember that a pose was not reached, by a drive or by a turn on the spot."""
        self._failed.append((now.steady_ns, pose, turning))

    def failed(self, now: Now) -> list[Pose2D]:
        """Return the poses that no drive reached lately."""
        self._forget(now)
        return [pose for _, pose, turning in self._failed if not turning]

    def dormant(self, now: Now) -> list[Pose2D]:
        """Return the viewpoints that are done with, for good or for some time."""
        self._forget(now)
        return [*self.viewpoints, *(pose for _, pose, _ in self._failed)]

    def _forget(self, now: Now) -> None:
        since = now.steady_ns - self._failure_memory_ns
        self._failed = [entry for entry in self._failed if entry[0] >= since]
