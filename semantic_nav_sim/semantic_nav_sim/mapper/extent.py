"""The cells of an infinite lattice that an array holds."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Extent:
    """A rectangle of the lattice: rows row..row+rows-1, columns column..column+columns-1."""

    row: int = 0
    column: int = 0
    rows: int = 0
    columns: int = 0

    @classmethod
    def around(cls, rows: Cells, columns: Cells) -> Self:
        """The smallest extent that holds some cells, at least one."""
        row, column = int(rows.min()), int(columns.min())
        return cls(row, column, int(rows.max()) - row + 1, int(columns.max()) - column + 1)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.rows, self.columns

    def holding(self, rows: Cells, columns: Cells, chunk: int) -> 'Extent':
        """The smallest extent of whole chunks that holds this one and some cells.

        Args:
            rows, columns: of the cells in the lattice, shape (n,), at least one.
            chunk: edge of a chunk in cells; chunks lie on multiples of it.
        """
        row, row_end = _cover(self.row, self.rows, rows, chunk)
        column, column_end = _cover(self.column, self.columns, columns, chunk)
        return Extent(row, column, row_end - row, column_end - column)

    def grown(self, cells: int, most: 'Extent') -> 'Extent':
        """The extent with a margin on all sides, clipped to another one."""
        row, column = max(self.row - cells, most.row), max(self.column - cells, most.column)
        row_end = min(self.row + self.rows + cells, most.row + most.rows)
        column_end = min(self.column + self.columns + cells, most.column + most.columns)
        return Extent(row, column, row_end - row, column_end - column)

    def within(self, other: 'Extent') -> tuple[slice, slice]:
        """The slices of this extent in the array of a larger one."""
        row, column = self.row - other.row, self.column - other.column
        return slice(row, row + self.rows), slice(column, column + self.columns)

    def mask(self, rows: Cells, columns: Cells) -> NDArray[np.bool_]:
        """A mask of this extent that is true at some cells of the lattice inside it."""
        mask = np.zeros(self.shape, bool)
        mask[rows - self.row, columns - self.column] = True
        return mask


def _cover(start: int, count: int, cells: Cells, chunk: int) -> tuple[int, int]:
    """The start and the end of the whole chunks around a span and some cells."""
    low, high = int(cells.min()), int(cells.max()) + 1
    if count:
        low, high = min(low, start), max(high, start + count)
    return low // chunk * chunk, -(-high // chunk) * chunk
