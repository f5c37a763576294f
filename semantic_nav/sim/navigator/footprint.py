"""A base that is not round on the costmap, as Nav2's FootprintCollisionChecker sees it."""

from __future__ import annotations

import math

import numpy as np
import shapely
import yaml
from numpy.typing import NDArray

from semantic_nav.sim.navigator.geometry import Pose

Corners = tuple[tuple[float, float], ...]


class Footprint:
    """The outline of a base, in its own frame.

    Args:
        text: Corners as in Nav2's parameter `footprint`, '[[x, y], ...]' [m].

    Attributes:
        polygon: The same.
        inscribed_m: Distance of its nearest edge from the middle of the base [m]; Nav2 inflates
            by this.
        circumscribed_m: Distance of its farthest corner [m].
    """

    def __init__(self, text: str) -> None:
        self.polygon = shapely.Polygon(yaml.safe_load(text))
        self.inscribed_m = float(self.polygon.exterior.distance(shapely.Point(0.0, 0.0)))
        self.circumscribed_m = max(math.hypot(x, y) for x, y in self.polygon.exterior.coords)

    def outline(self, spacing_m: float, shrunk_m: float = 0.0) -> NDArray[np.float64]:
        """Points of its outline, float[n, 2] [m].

        Args:
            spacing_m: From one to the next at most [m].
            shrunk_m: How far within it [m].
        """
        ring = self.polygon.buffer(-shrunk_m, join_style='mitre').exterior
        count = math.ceil(ring.length / spacing_m)
        points = shapely.line_interpolate_point(ring, np.arange(count) * (ring.length / count))
        corners = shapely.get_coordinates(ring)[:-1]
        return np.concatenate([corners, shapely.get_coordinates(points)])

    def holds(self, x: NDArray[np.float64], y: NDArray[np.float64],
              pose: Pose) -> NDArray[np.bool_]:
        """Which points lie within it where the base is at a pose, bool of their shape."""
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        ahead, left = x - pose.x, y - pose.y
        inside: NDArray[np.bool_] = shapely.contains_xy(
            self.polygon, cos * ahead + sin * left, cos * left - sin * ahead)
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
