"""The light body's laser scanner: rays against outlines in its plane.

Stands in for MuJoCo's rays against colliders. A tilted solid has its whole outline there.
"""

import math

import numpy as np

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.lidar_model import LidarModel
from semantic_nav_sim.world.meshes import Floats


def true_ranges(edges: Floats, lidar: LidarModel, base: Pose2D) -> Floats:
    """The range of each ray, infinite without a hit, shape (rays,).

    Only the few rays between the ends of an edge are computed for it.

    Args:
        edges: of outlines in counterclockwise order, shape (n, 4): from x, y, to x, y.
        lidar: the scanner, at the centre of the base.
        base: pose of the base.
    """
    ranges = np.full(lidar.rays, np.inf)
    x0, y0 = edges[:, 0] - base.x, edges[:, 1] - base.y
    x1, y1 = edges[:, 2] - base.x, edges[:, 3] - base.y
    area = x0 * y1 - x1 * y0
    # Edges of a counterclockwise outline that face the robot run clockwise about it.
    facing = np.flatnonzero((area < 0) & _within(x0, y0, x1, y1, lidar.range_max_m))
    x0, y0, x1, y1, area = x0[facing], y0[facing], x1[facing], y1[facing], area[facing]
    first_rad = np.arctan2(y1, x1)
    width_rad = np.mod(np.arctan2(y0, x0) - first_rad, math.tau)
    offset = base.yaw + lidar.angle_min_rad
    first = np.ceil((first_rad - offset) / lidar.step_rad).astype(np.int64)
    last = np.floor((first_rad + width_rad - offset) / lidar.step_rad).astype(np.int64)
    counts = np.maximum(last - first + 1, 0)
    edge = np.repeat(np.arange(len(counts)), counts)
    ray = np.arange(len(edge)) - np.repeat(np.cumsum(counts) - counts, counts) + first[edge]
    angle = offset + ray * lidar.step_rad
    along = np.cos(angle) * (y1 - y0)[edge] - np.sin(angle) * (x1 - x0)[edge]
    far_m = area[edge] / along
    np.minimum.at(ranges, ray % lidar.rays, far_m)
    ranges[ranges > lidar.range_max_m] = np.inf
    return ranges


def _within(x0: Floats, y0: Floats, x1: Floats, y1: Floats, reach_m: float) -> Floats:
    """Mask of the edges whose lines come near enough to the origin."""
    return np.abs(x0 * y1 - x1 * y0) < reach_m * np.hypot(x1 - x0, y1 - y0)
