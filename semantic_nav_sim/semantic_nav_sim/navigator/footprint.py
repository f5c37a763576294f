"""A base that is not round, on the costmap, as in Nav2's FootprintCollisionChecker."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from semantic_nav.contracts.footprint import Footprint
from semantic_nav_sim.navigator.geometry import Pose


def outline(footprint: Footprint, spacing_m: float, shrunk_m: float = 0.0) -> NDArray[np.float64]:
    """Points of the outline, float[n, 2] [m].

    Args:
        footprint: Of the base.
        spacing_m: Largest distance between two points [m].
        shrunk_m: Margin by which the outline is shrunk [m].
    """
    ring = _shrunk(footprint, shrunk_m).exterior
    return shapely.get_coordinates(shapely.segmentize(ring, spacing_m))[:-1]


def covered(footprint: Footprint, pose: Pose, x: NDArray[np.float64],
            y: NDArray[np.float64], margin_m: float = 0.0) -> NDArray[np.bool_]:
    """Mask of the points inside the base at a pose, by more than a margin [m], in their shape."""
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    ahead, left = x - pose.x, y - pose.y
    inside: NDArray[np.bool_] = shapely.contains_xy(
        _shrunk(footprint, margin_m), cos * ahead + sin * left, cos * left - sin * ahead)
    return inside


def placed(points: NDArray[np.float64], poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of the base at some poses in the global frame, float[m, n, 2] [m].

    Args:
        points: float[n, 2].
        poses: float[m, 3], x, y, yaw.
    """
    cos, sin = np.cos(poses[:, 2, None]), np.sin(poses[:, 2, None])
    x = poses[:, 0, None] + cos * points[:, 0] - sin * points[:, 1]
    y = poses[:, 1, None] + sin * points[:, 0] + cos * points[:, 1]
    return np.stack([x, y], axis=-1)


@lru_cache(maxsize=8)
def _shrunk(footprint: Footprint, by_m: float) -> shapely.Polygon:
    return footprint.polygon.buffer(-by_m, join_style='mitre')
