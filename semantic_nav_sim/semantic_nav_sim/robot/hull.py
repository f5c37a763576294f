"""The outline of the base among obstacles: a round one slides, one with corners stops."""

from typing import Protocol

import numpy as np
import shapely

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.shape import Shape
from semantic_nav_sim.world.footprints import Obstacles

#: Gap at which a contact ends.
PARTING_M = 0.01
_PUSHES = 4
Corners = tuple[tuple[float, float], ...]


class Hull(Protocol):
    """A body that cannot enter walls or furniture."""

    def moved(self, before: Pose2D, wanted: Pose2D) -> tuple[Pose2D, bool]:
        """The pose that a step reaches, and whether it hits something."""
        ...

    def met(self, pose: Pose2D) -> str:
        """The obstacle in contact at a pose."""
        ...

    def is_parted(self, pose: Pose2D) -> bool:
        """Tell whether it is clear of all obstacles at a pose."""
        ...


def hull_of(shape: Shape, obstacles: Obstacles) -> Hull:
    """The hull of a shape among some obstacles."""
    if shape.corners:
        return CorneredHull(shape.corners, shape.radius_m, obstacles)
    return RoundHull(shape.radius_m, obstacles)


class RoundHull:
    """A disc, which is pushed out of obstacles and slides along them."""

    def __init__(self, radius_m: float, obstacles: Obstacles) -> None:
        self._radius_m, self._obstacles = radius_m, obstacles

    def moved(self, before: Pose2D, wanted: Pose2D) -> tuple[Pose2D, bool]:
        """See `Hull`."""
        radius, x, y = self._radius_m, wanted.x, wanted.y
        contact = False
        for _ in range(_PUSHES):
            gap, away, _ = self._obstacles.nearest(x, y, radius)
            if gap >= radius - 1e-6:
                return Pose2D(x, y, wanted.yaw), contact
            contact = True
            x += float(away[0]) * (radius - gap)
            y += float(away[1]) * (radius - gap)
        if self._obstacles.nearest(x, y, radius).gap_m < radius - 1e-3:
            # Wedged between two obstacles: it stays in place.
            return Pose2D(before.x, before.y, wanted.yaw), True
        return Pose2D(x, y, wanted.yaw), contact

    def met(self, pose: Pose2D) -> str:
        """See `Hull`."""
        return self._obstacles.nearest(pose.x, pose.y, self._radius_m + PARTING_M).name

    def is_parted(self, pose: Pose2D) -> bool:
        """See `Hull`."""
        near = self._obstacles.nearest(pose.x, pose.y, self._radius_m + 2 * PARTING_M)
        return near.gap_m >= self._radius_m + PARTING_M


class CorneredHull:
    """A polygon, which on contact makes only the rotation or translation of a step, or neither."""

    def __init__(self, corners: Corners, radius_m: float, obstacles: Obstacles) -> None:
        """Make the hull.

        Args:
            corners: in base_link, in metres.
            radius_m: of the enclosing disc.
            obstacles: all of them.
        """
        self._corners, self._radius_m, self._obstacles = np.array(corners), radius_m, obstacles

    def moved(self, before: Pose2D, wanted: Pose2D) -> tuple[Pose2D, bool]:
        """See `Hull`."""
        if self._fits(wanted):
            return wanted, False
        for less in (Pose2D(before.x, before.y, wanted.yaw),
                     Pose2D(wanted.x, wanted.y, before.yaw)):
            if self._fits(less):
                return less, True
        return before, True

    def met(self, pose: Pose2D) -> str:
        """See `Hull`."""
        # A step is a little longer than the gap that it should have left.
        return self._obstacles.nearest_to(self._outline(pose), 5 * PARTING_M).name

    def is_parted(self, pose: Pose2D) -> bool:
        """See `Hull`."""
        return self._gap_m(pose, PARTING_M) >= PARTING_M

    def _fits(self, pose: Pose2D) -> bool:
        return self._gap_m(pose, 0.0) > 0.0

    def _gap_m(self, pose: Pose2D, within_m: float) -> float:
        """The gap to the nearest obstacle; infinite if that is beyond `within_m`."""
        reach_m = self._radius_m + within_m
        if self._obstacles.nearest(pose.x, pose.y, reach_m).gap_m > reach_m:
            return np.inf
        return self._obstacles.nearest_to(self._outline(pose), within_m).gap_m

    def _outline(self, pose: Pose2D) -> shapely.Polygon:
        c, s = np.cos(pose.yaw), np.sin(pose.yaw)
        return shapely.Polygon(self._corners @ np.array([[c, s], [-s, c]]) + (pose.x, pose.y))
