"""Which part of the floor was looked at for the current goal."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import OccupancyGrid


@dataclass(frozen=True, eq=False)
class ViewFan:
    """How far a look saw in each direction, in the map frame.

    Attributes:
        x, y: of the camera.
        yaw: of its optical axis.
        bearings_rad: ascending, relative to the yaw, shape (n,).
        ranges_m: how far the floor was overlooked in that direction, shape (n,).
    """

    x: float
    y: float
    yaw: float
    bearings_rad: NDArray[np.float64]
    ranges_m: NDArray[np.float64]


class Coverage:
    """A grid of looked-at cells, laid over the map."""

    def __init__(self, grid: OccupancyGrid) -> None:
        """Begin with nothing looked at."""
        self._grid = grid
        self.looked: NDArray[np.bool_] = np.zeros(grid.shape, np.bool_)

    def fit(self, grid: OccupancyGrid) -> None:
        """Follow a map that grew or moved its corner; what was looked at stays so."""
        if grid.same_frame(self._grid):
            return
        looked = np.zeros(grid.shape, np.bool_)
        if grid.resolution_m == self._grid.resolution_m:
            rows, columns = np.nonzero(self.looked)
            down = round((self._grid.origin_y_m - grid.origin_y_m) / grid.resolution_m)
            right = round((self._grid.origin_x_m - grid.origin_x_m) / grid.resolution_m)
            rows, columns = rows + down, columns + right
            inside = ((rows >= 0) & (rows < grid.shape[0])
                      & (columns >= 0) & (columns < grid.shape[1]))
            looked[rows[inside], columns[inside]] = True
        self._grid = grid
        self.looked = looked

    def mark(self, fan: ViewFan) -> None:
        """Mark the cells whose centres lie within the fan."""
        grid = self._grid
        reach_m = float(fan.ranges_m.max(initial=0.0))
        top, left = grid.cell_of(fan.x - reach_m, fan.y - reach_m)
        bottom, right = grid.cell_of(fan.x + reach_m, fan.y + reach_m)
        top, bottom = max(0, top), min(grid.shape[0], bottom + 1)
        left, right = max(0, left), min(grid.shape[1], right + 1)
        if top >= bottom or left >= right:
            return
        xs = grid.origin_x_m + (np.arange(left, right) + 0.5) * grid.resolution_m - fan.x
        ys = grid.origin_y_m + (np.arange(top, bottom) + 0.5) * grid.resolution_m - fan.y
        distance_m = np.hypot(xs[None, :], ys[:, None])
        bearing = np.arctan2(ys[:, None], xs[None, :]) - fan.yaw
        bearing = (bearing + np.pi) % (2 * np.pi) - np.pi
        reach = np.interp(bearing, fan.bearings_rad, fan.ranges_m, left=0.0, right=0.0)
        self.looked[top:bottom, left:right] |= distance_m <= reach

    def share_of(self, cells: NDArray[np.bool_]) -> float:
        """Return the looked-at share of the given cells, 1 where there are none."""
        total = int(cells.sum())
        return float((self.looked & cells).sum()) / total if total else 1.0

    def unlooked_m2(self, cells: NDArray[np.bool_]) -> float:
        """Return the area of the given cells that was not looked at."""
        return float((cells & ~self.looked).sum()) * self._grid.resolution_m**2


def half_angle(fan: ViewFan) -> float:
    """Return half of the fan's opening in radians."""
    return float(fan.bearings_rad[-1] - fan.bearings_rad[0]) / 2
