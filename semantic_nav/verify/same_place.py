"""Which poses of the robot are one place."""

from collections.abc import Iterable

from semantic_nav.contracts.geometry import Pose2D

#: Poses nearer to each other than this are one place, in metres: what was tried at one of them
#: need not be tried at the other.
SAME_PLACE_M = 0.4


def near_any(pose: Pose2D, others: Iterable[Pose2D]) -> bool:
    """Tell whether a pose is the place of one of some others."""
    return any(pose.distance_to(other.x, other.y) < SAME_PLACE_M for other in others)
