"""Occupancy grids, as in nav_msgs/OccupancyGrid."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1
FREE = 0
INSCRIBED = 99
LETHAL = 100
#: Occupancy from which a cell of a map is an obstacle, as map_server reads it.
OCCUPIED = 65


Indices = NDArray[np.int64]
Metres = NDArray[np.float64]
Mask = NDArray[np.bool_]
_T = TypeVar('_T', bound=np.generic)


@dataclass(frozen=True, eq=False)
class OccupancyGrid:
    """An occupancy grid, with its axes along those of its frame.

    Attributes:
        cells: int8, shape (height, width), row 0 at the smallest y: -1 unknown, 0 free, up to
            100 occupied; in a costmap, 99 (inscribed) means that a round robot would collide
            there.
        resolution_m: edge length of a cell.
        origin_x_m: x of the outer corner of cell (0, 0).
        origin_y_m: y of that corner.
        frame_id: frame of the coordinates.
        stamp_ns: ROS time of its making.
    """

    cells: NDArray[np.int8]
    resolution_m: float
    origin_x_m: float
    origin_y_m: float
    frame_id: str
    stamp_ns: int

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in cells."""
        height, width = self.cells.shape
        return height, width

    @property
    def diagonal_m(self) -> float:
        """Distance between opposite corners, the longest distance on the grid."""
        return math.hypot(*self.shape) * self.resolution_m

    @property
    def free(self) -> Mask:
        """Mask of the known cells of a map without an obstacle, shape (height, width)."""
        return (self.cells >= FREE) & (self.cells < OCCUPIED)

    @cached_property
    def barren(self) -> str:
        """Reason why no robot can be anywhere on it, in words; empty if it has a free cell."""
        if self.free.any():
            return ''
        unknown = int((self.cells < FREE).sum())
        return f'holds no free cell: of {self.cells.size}, {unknown} are unknown'

    def beyond_m(self, x: float, y: float) -> float:
        """Distance of a point outside the grid from its edge, in metres; 0 for a point inside."""
        height, width = self.shape
        return math.hypot(
            max(self.origin_x_m - x, 0.0, x - self.origin_x_m - width * self.resolution_m),
            max(self.origin_y_m - y, 0.0, y - self.origin_y_m - height * self.resolution_m))

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        """(row, column) of a point, which may lie outside."""
        return (math.floor((y - self.origin_y_m) / self.resolution_m),
                math.floor((x - self.origin_x_m) / self.resolution_m))

    def centre_of(self, row: int, column: int) -> tuple[float, float]:
        """(x, y) of a cell's centre in metres."""
        return (self.origin_x_m + (column + 0.5) * self.resolution_m,
                self.origin_y_m + (row + 0.5) * self.resolution_m)

    def cells_of(self, x: Metres, y: Metres) -> tuple[Indices, Indices, Mask]:
        """Rows and columns of points, and a mask of those inside; outside, both indices are 0.

        Args:
            x, y: of one shape, in metres.
        """
        rows = np.floor((y - self.origin_y_m) / self.resolution_m)
        columns = np.floor((x - self.origin_x_m) / self.resolution_m)
        height, width = self.shape
        inside: Mask = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        return (np.where(inside, rows, 0.0).astype(np.int64),
                np.where(inside, columns, 0.0).astype(np.int64), inside)

    def centres_of(self, rows: Indices, columns: Indices) -> tuple[Metres, Metres]:
        """x of the centres of columns, and y of the centres of rows, in metres."""
        return (np.asarray(self.origin_x_m + (columns + 0.5) * self.resolution_m, np.float64),
                np.asarray(self.origin_y_m + (rows + 0.5) * self.resolution_m, np.float64))

    def contains(self, row: int, column: int) -> bool:
        """Tell whether the cell lies inside the grid."""
        height, width = self.shape
        return 0 <= row < height and 0 <= column < width

    def value_at(self, x: float, y: float) -> int | None:
        """The value of the cell at a point, or None outside the grid."""
        row, column = self.cell_of(x, y)
        return int(self.cells[row, column]) if self.contains(row, column) else None

    def values_at(self, x: Metres, y: Metres) -> NDArray[np.int8]:
        """The values of the cells at points, UNKNOWN outside the grid.

        Args:
            x, y: shape (n,), in metres.
        """
        rows, columns, inside = self.cells_of(x, y)
        values = np.full(len(x), UNKNOWN, np.int8)
        values[inside] = self.cells[rows[inside], columns[inside]]
        return values

    def same_frame(self, other: 'OccupancyGrid') -> bool:
        """Tell whether a cell index means the same place in both grids."""
        mine = (self.shape, self.resolution_m, self.origin_x_m, self.origin_y_m)
        return mine == (other.shape, other.resolution_m, other.origin_x_m, other.origin_y_m)

    def on_lattice_of(self, other: 'OccupancyGrid') -> 'OccupancyGrid':
        """The grid moved by at most half a cell along each axis, onto the cells of another grid.

        The origin of a map that grows during mapping moves by fractions of a cell. Memory in cells
        keeps to the first grid: each map is laid onto it, so that the shifts of many maps do not
            add
        up. A grid of another resolution is not moved.
        """
        size_m = self.resolution_m
        if size_m != other.resolution_m:
            return self
        x_m, y_m = (to + round((at - to) / size_m) * size_m for at, to in (
            (self.origin_x_m, other.origin_x_m), (self.origin_y_m, other.origin_y_m)))
        return self if (x_m, y_m) == (self.origin_x_m, self.origin_y_m) else (
            replace(self, origin_x_m=x_m, origin_y_m=y_m))


def laid_over(values: NDArray[_T], of: OccupancyGrid, grid: OccupancyGrid,
              beyond: _T | float) -> NDArray[_T]:
    """Values of one grid's cells on another grid, at the same places in their frame.

    Args:
        values: values of the old grid's cells, shape as its cells.
        of: the old grid.
        grid: the new grid; if its resolution differs, no old value is kept.
        beyond: value of cells that the old grid does not have.

        Returns:
            Shape as the new grid's cells.
    """
    laid = np.full(grid.shape, beyond, values.dtype)
    if grid.resolution_m == of.resolution_m:
        corner = (round((of.origin_y_m - grid.origin_y_m) / grid.resolution_m),
                  round((of.origin_x_m - grid.origin_x_m) / grid.resolution_m))
        ends = np.clip([corner, np.add(corner, of.shape)], 0, grid.shape)
        to = tuple(slice(first, last) for first, last in ends.T.tolist())
        laid[to] = values[tuple(slice(one.start - first, one.stop - first)
                                for one, first in zip(to, corner, strict=True))]
    return laid
