"""Which part of the floor was looked at for the current goal."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.sight import visible_cells

#: Rows of a depth picture lie far apart on surfaces far away: gaps of so many cells are closed.
_GAP_CELLS = 2
#: What so many looks should have shown and did not is not to be seen from anywhere.
_GIVEN_UP_AFTER = 2


@dataclass(frozen=True, eq=False)
class SeenSurfaces:
    """What a depth picture shows within the range that counts, in the map frame.

    Attributes:
        x, y: of the camera.
        yaw: of its optical axis.
        half_angle_rad: half of its horizontal field of view.
        range_m: how far surfaces count.
        points: on all surfaces, shape (n, 2).
    """

    x: float
    y: float
    yaw: float
    half_angle_rad: float
    range_m: float
    points: NDArray[np.float64]

    def within(self, range_m: float) -> 'SeenSurfaces':
        """Return the part of it that lies nearer, in metres from the camera over the floor."""
        near = np.hypot(self.points[:, 0] - self.x, self.points[:, 1] - self.y) <= range_m
        return replace(self, range_m=range_m, points=self.points[near])


class Coverage:
    """A grid of looked-at cells, laid over the map."""

    def __init__(self, grid: OccupancyGrid) -> None:
        """Begin with nothing looked at."""
        self._grid = grid
        self.looked: NDArray[np.bool_] = np.zeros(grid.shape, np.bool_)
        self._missed: NDArray[np.uint8] = np.zeros(grid.shape, np.uint8)

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
        self._missed = np.zeros(grid.shape, np.uint8)

    def mark(self, seen: SeenSurfaces) -> None:
        """Mark the cells on whose surfaces the camera looked.

        The inside of a wardrobe is never seen, nor is a corner behind a bed: a cell that several
        looks should have shown by the map, and did not, counts as looked at too.
        """
        rows, columns, inside = self._cells(seen.points)
        marked = np.zeros_like(self.looked)
        marked[rows[inside], columns[inside]] = True
        closed = ndimage.binary_closing(marked, np.ones((3, 3)), iterations=_GAP_CELLS // 2)
        # Closing forgets what lies on the border of the map.
        self.looked |= marked | closed
        expected = visible_cells(self._grid, (seen.x, seen.y), seen.yaw, seen.half_angle_rad,
                                 seen.range_m)
        self._missed[expected & ~self.looked] += 1
        self.looked |= self._missed >= _GIVEN_UP_AFTER

    def _cells(self, points: NDArray[np.float64],
               ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return rows and columns of points, and which of them lie inside."""
        grid = self._grid
        columns = np.floor((points[:, 0] - grid.origin_x_m) / grid.resolution_m).astype(np.int64)
        rows = np.floor((points[:, 1] - grid.origin_y_m) / grid.resolution_m).astype(np.int64)
        inside = ((rows >= 0) & (rows < self.looked.shape[0])
                  & (columns >= 0) & (columns < self.looked.shape[1]))
        return rows, columns, inside

    def share_of(self, cells: NDArray[np.bool_]) -> float:
        """Return the looked-at share of the given cells, 1 where there are none."""
        total = int(cells.sum())
        return float((self.looked & cells).sum()) / total if total else 1.0

    def unlooked_m2(self, cells: NDArray[np.bool_]) -> float:
        """Return the area of the given cells that was not looked at."""
        return float((cells & ~self.looked).sum()) * self._grid.resolution_m**2

