"""Collision check of a round robot on a path: cost under its middle, and unknown floor beside it.

Its collisions follow from the cost under its middle. The distance to unknown floor does not.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, INSCRIBED, LETHAL, OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.floor.body import MOVED, Met, Points, close_together

#: Radius assumed for a robot of unknown size where it leaves the cells under it, in m.
_UNDER_M = 0.2
#: Depth and length to which a path may cut corners of the inscribed zone, in m. Planners smooth
#: their paths: those of NavFn follow a gradient and cut corners by a cell, at most this deep for
#: large cells.
_CUT_DEEP_M, _CUT_LONG_M = 0.05, 1.0


@dataclass(frozen=True, eq=False)
class RoundBody:
    """A robot whose collisions follow from the costmap alone.

    Attributes:
        robot: current pose. Cells that it touches or covers there do not count: it leaves them.
        radius_m: 0 if unknown; then only its middle keeps off unknown floor.
    """

    map: OccupancyGrid
    costmap: OccupancyGrid
    robot: Pose2D
    radius_m: float

    def met_along(self, points: Points) -> Met | None:
        """First hit along a path; None for a free path. See `Body.met_along`."""
        if len(points) < 2:
            return None
        cell_m = min(self.costmap.resolution_m, self.map.resolution_m)
        points = close_together(points, MOVED * cell_m, self.costmap.diagonal_m)
        # Obstacles that it touches or covers now it leaves behind.
        here_m = (self.radius_m or _UNDER_M) + cell_m
        return self._touched(points, here_m) or self._unknown(points, here_m)

    def _touched(self, points: Points, here_m: float) -> Met | None:
        x, y = points[:, 0], points[:, 1]
        cost = self.costmap.values_at(x, y)
        far_m = np.hypot(x - self.robot.x, y - self.robot.y)
        under = (cost >= LETHAL) | (self.map.values_at(x, y) >= OCCUPIED)
        under &= ~_from_the_first(under & (far_m <= here_m))
        # It may first drive away from an obstacle beside it at an angle, but not along it.
        beside = cost >= INSCRIBED
        beside &= ~_from_the_first(beside & (far_m <= 2 * here_m)) & (far_m > here_m)
        hits = points[under | beside & (
            ~_is_edge(self.costmap, points) | (_since_m(beside, points) > _CUT_LONG_M))]
        return Met(float(hits[0, 0]), float(hits[0, 1]),
                   Code.COLLISION_DETECTED) if len(hits) else None

    def _unknown(self, points: Points, here_m: float) -> Met | None:
        found = [_unknown_near(grid, points, self.radius_m, self.robot, here_m)
                 for grid in (self.costmap, self.map)]
        _, place = min(found, key=lambda one: one[0])
        return Met(*place, Code.UNKNOWN_SPACE) if place is not None else None


def _from_the_first(those: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask of the leading run of true points."""
    found: NDArray[np.bool_] = np.logical_and.accumulate(those)
    return found


def _since_m(those: NDArray[np.bool_], points: Points) -> NDArray[np.float64]:
    """Length in m for which a path has led over such points without a gap."""
    along_m = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    begins = those & ~np.concatenate([[False], those[:-1]])
    since_m: NDArray[np.float64] = along_m - np.maximum.accumulate(np.where(begins, along_m, 0.0))
    return since_m


def _is_edge(costmap: OccupancyGrid, points: Points) -> NDArray[np.bool_]:
    """Mask of the points beside a cell that the middle of the robot may pass."""
    away_m = min(costmap.resolution_m, _CUT_DEEP_M)
    edge = np.zeros(len(points), bool)
    for dx, dy in np.stack(np.meshgrid(*[(-1, 0, 1)] * 2), axis=-1).reshape(-1, 2).tolist():
        cost = costmap.values_at(points[:, 0] + dx * away_m, points[:, 1] + dy * away_m)
        edge |= (cost >= FREE) & (cost < INSCRIBED)
    return edge


def _unknown_near(grid: OccupancyGrid, points: Points, radius_m: float, robot: Pose2D,
                  here_m: float) -> tuple[int, tuple[float, float] | None]:
    """Index of the first point with unknown floor near, and the position of that floor.

    Args:
        grid: cells outside of it count as unknown.
        points: shape (n, 2).
        radius_m: between the centres of cells.
        robot, here_m: unknown floor so near to the robot does not count.

    Returns:
        len(points) and None if there is none.
    """
    reach_cells = radius_m / grid.resolution_m + 1e-6
    reach = math.floor(reach_cells)
    rows, columns = (np.clip(np.floor((points[:, axis] - origin_m) / grid.resolution_m), -1, most)
                     .astype(np.int64) for axis, origin_m, most in (
                         (1, grid.origin_y_m, grid.shape[0]), (0, grid.origin_x_m, grid.shape[1])))
    top, left = int(rows.min()) - reach, int(columns.min()) - reach
    unknown = _unknown_in(grid, top, left, int(rows.max()) + reach + 1,
                          int(columns.max()) + reach + 1)
    x, y = grid.centres_of(*(np.arange(first, first + count) for first, count in zip(
        (top, left), unknown.shape, strict=True)))
    unknown &= ((x - robot.x)**2)[None, :] > here_m * here_m - ((y - robot.y)**2)[:, None]
    # Running counts along the rows, because a disc is made of pieces of rows.
    before = np.zeros((unknown.shape[0], unknown.shape[1] + 1), np.int32)
    np.cumsum(unknown, axis=1, out=before[:, 1:])
    rows, columns = rows - top, columns - left
    # Points far outside were clipped to the edge, which may be near the robot.
    *_, inside = grid.cells_of(points[:, 0], points[:, 1])
    near = ~inside & (np.hypot(points[:, 0] - robot.x, points[:, 1] - robot.y) > here_m)
    off = near.copy()
    for down in range(-reach, reach + 1):
        half = math.floor(math.sqrt(reach_cells * reach_cells - down * down))
        near |= before[rows + down, columns + half + 1] > before[rows + down, columns - half]
    if not near.any():
        return len(points), None
    first = int(near.argmax())
    if off[first]:
        return first, (float(points[first, 0]), float(points[first, 1]))
    row, column = int(rows[first]) - reach, int(columns[first]) - reach
    under = np.argwhere(unknown[row:, column:][:2 * reach + 1, :2 * reach + 1])
    down, right = under[((under - reach)**2).sum(axis=1).argmin()].tolist()
    return first, (float(x[column + right]), float(y[row + down]))


def _unknown_in(grid: OccupancyGrid, top: int, left: int, bottom: int,
                right: int) -> NDArray[np.bool_]:
    """Mask of the unknown cells of a window, which may reach out of the grid."""
    height, width = grid.shape
    unknown: NDArray[np.bool_] = np.ones((bottom - top, right - left), bool)
    inside = grid.cells[max(0, top):max(0, bottom), max(0, left):max(0, right)]
    unknown[max(0, -top):, max(0, -left):][:inside.shape[0], :inside.shape[1]] = inside == UNKNOWN
    return unknown
