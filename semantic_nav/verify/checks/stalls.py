"""Places where the robot got stuck: goal poses behind them come last for a while."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, INSCRIBED, OccupancyGrid
from semantic_nav.verify.checks.path_progress import PathProgress

#: Radius of the place within which the obstacle lies, in m.
RADIUS_M = 0.4
#: Distance of the obstacle ahead of the farthest point reached on the path, in m.
_AHEAD_M = 0.4
#: Distance from that point above which the robot had left its path for another, in m.
_OTHER_WAY_M = 1.0
#: Growth of the open floor there from which on the costmap has changed, in m2.
_OPENED_M2 = 0.1


@dataclass(frozen=True)
class Stall:
    """A place where the robot got stuck, in the map frame, in m.

    Attributes:
        open_m2: area of floor there that was clear of known obstacles when the robot got stuck.
    """

    x: float
    y: float
    open_m2: float

    def holds(self, costmap: OccupancyGrid) -> bool:
        """Tell whether the open floor there has not grown since."""
        return open_m2(costmap, self.x, self.y) < self.open_m2 + _OPENED_M2

    def entered_by(self, points: NDArray[np.float64]) -> bool:
        """Tell whether a path leads into the place; one that begins there may leave it.

        Args:
            points: of the path in the map frame, in m, shape (n, 2).
        """
        offsets = points - (self.x, self.y)
        inside = (offsets * offsets).sum(axis=1) <= RADIUS_M**2
        return bool(np.any(inside[1:] & ~inside[:-1]))


def stall_of(way: PathProgress, robot: Pose2D, costmap: OccupancyGrid) -> Stall:
    """The place where a robot got stuck.

    Nav2 turns and backs up before it gives up a goal pose. The progress along the path therefore
    tells more than the final pose of the robot.
    """
    got_to = way.point_at(0.0)
    x, y = way.point_at(_AHEAD_M)
    if robot.distance_to(*got_to) > _OTHER_WAY_M:
        x, y = robot.x, robot.y
    return Stall(x, y, open_m2(costmap, x, y))


def open_m2(costmap: OccupancyGrid, x: float, y: float) -> float:
    """Area of open floor round a point by a costmap, in m2."""
    window, near = _disc(costmap, x, y)
    cost = costmap.cells[window]
    cells = int(np.count_nonzero(near & (cost >= FREE) & (cost < INSCRIBED)))
    return cells * costmap.resolution_m**2


def closed_at(costmap: OccupancyGrid, stalls: Sequence[Stall]) -> OccupancyGrid:
    """The costmap with these places closed."""
    cells = costmap.cells.copy()
    for stall in stalls:
        window, near = _disc(costmap, stall.x, stall.y)
        cells[window][near] = np.maximum(cells[window][near], INSCRIBED)
    return replace(costmap, cells=cells)


def _disc(grid: OccupancyGrid, x: float, y: float,
          ) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
    """Window of a grid round a point, and the mask of its cells with the centre in the disc."""
    (row, column), reach = grid.cell_of(x, y), math.ceil(RADIUS_M / grid.resolution_m)
    height, width = grid.shape
    rows = np.arange(max(0, row - reach), max(0, min(height, row + reach + 1)))
    columns = np.arange(max(0, column - reach), max(0, min(width, column + reach + 1)))
    xs, ys = grid.centres_of(rows, columns)
    near = ((ys - y)**2)[:, None] + ((xs - x)**2)[None, :] <= RADIUS_M**2
    first_row, first_column = (int(cells[0]) if cells.size else 0 for cells in (rows, columns))
    return (slice(first_row, first_row + rows.size),
            slice(first_column, first_column + columns.size)), near
