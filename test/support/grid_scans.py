"""Scans of a room that is given as a map, for robots without a simulator."""

import math

import numpy as np

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.map_file import OCCUPIED
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.geometry import Pose, wrap

RANGE_MIN_M, RANGE_MAX_M = 0.1, 3.2
_STEP_M = 0.02


def room() -> OccupancyGrid:
    """Return a room of 6 m by 4 m around the origin, with a block of 1.5 m in the lower right."""
    cells = np.zeros((80, 120), dtype=np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    cells[1:31, 79:109] = OCCUPIED
    return OccupancyGrid(cells, 0.05, -3.0, -2.0, 'map', 0)


class GridScans:
    """A scanner in the middle of the robot.

    Attributes:
        bearings: of its rays, in rad.
    """

    def __init__(self, grid: OccupancyGrid, rays: int = 180) -> None:
        self._grid, self._occupied = grid, grid.cells == OCCUPIED
        self.bearings = np.linspace(-math.pi, math.pi, rays, endpoint=False)

    def ranges(self, pose: Pose) -> np.ndarray:
        """Return how far each ray gets from a pose in the map, in m; infinite for no hit."""
        grid, (rows, cols) = self._grid, self._occupied.shape
        away_m = np.arange(RANGE_MIN_M, RANGE_MAX_M, _STEP_M)
        angles = pose.yaw + self.bearings[:, None]
        col = np.floor((pose.x + np.cos(angles) * away_m - grid.origin_x_m) / grid.resolution_m)
        row = np.floor((pose.y + np.sin(angles) * away_m - grid.origin_y_m) / grid.resolution_m)
        inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
        met = inside & self._occupied[row.astype(int).clip(0, rows - 1),
                                      col.astype(int).clip(0, cols - 1)]
        return np.where(met.any(axis=1), away_m[met.argmax(axis=1)], np.inf)

    def into(self, costmap: Costmap, pose: Pose, there: Pose | None = None) -> None:
        """Have a costmap see it from a pose in the map, which is elsewhere in its own frame."""
        there = there or pose
        costmap.see(there, there, self.bearings, self.ranges(pose), RANGE_MIN_M, RANGE_MAX_M)


def within(frame: Pose, pose: Pose) -> Pose:
    """Return where a pose in the map is in the frame of which the map's origin has this pose."""
    cos, sin = math.cos(frame.yaw), math.sin(frame.yaw)
    return Pose(frame.x + cos * pose.x - sin * pose.y, frame.y + sin * pose.x + cos * pose.y,
                wrap(frame.yaw + pose.yaw))


def inverse(pose: Pose) -> Pose:
    """Return the pose of the parent frame in the frame that has this one."""
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    return Pose(-cos * pose.x - sin * pose.y, sin * pose.x - cos * pose.y, -pose.yaw)
