"""Equality of places: poses of the robot that count as one place."""

from collections.abc import Iterable

from semantic_nav.contracts.geometry import Pose2D

#: Distance below which two poses are one place, in m: an attempt at one counts for the other.
SAME_PLACE_M = 0.4


def near_any(pose: Pose2D, others: Iterable[Pose2D]) -> bool:
    """Tell whether a pose is at the place of any other pose."""
    return any(pose.distance_to(other.x, other.y) < SAME_PLACE_M for other in others)
