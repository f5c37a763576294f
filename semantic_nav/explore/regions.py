"""Connected regions of a map, updated at little cost when a small part changes."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

#: Edge of the tiles that are labelled one by one, in cells.
_TILE = 128
_EIGHT = np.ones((3, 3), np.bool_)
_Mask = NDArray[np.bool_]
_Counts = NDArray[np.int32]
_Parts = NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Regions:
    """The eight-connected regions of open cells.

    Attributes:
        cells: mask of the open cells, shape (height, width).
        parts: number of the part of its tile that a cell belongs to, from 1 on; 0 where closed.
        counts: number of parts of each tile, shape (rows of tiles, columns of tiles).
        tile: edge of a tile in cells.
    """

    cells: _Mask
    parts: _Parts
    counts: _Counts
    tile: int = _TILE
    _masks: dict[int, _Mask] = field(default_factory=dict, init=False, repr=False)

    def same(self, cell: tuple[int, int], other: tuple[int, int]) -> bool:
        """Tell whether a way leads from one cell, as (row, column), to another one."""
        region = self._region_of(cell)
        return region >= 0 and region == self._region_of(other)

    def around(self, cell: tuple[int, int]) -> _Mask:
        """Mask of the cells to which a way leads from a cell; read only."""
        region = self._region_of(cell)
        if region not in self._masks:
            self._masks.clear()
            self._masks[region] = self._mask_of(region)
        return self._masks[region]

    def reached(self, cell: tuple[int, int], rows: NDArray[np.int64],
                columns: NDArray[np.int64]) -> _Mask:
        """Mask of those of some cells to which a way leads from a cell.

        Args:
            cell: row and column.
            rows, columns: of the others, in shapes that broadcast to that of the mask.
        """
        parts = self.parts[rows, columns]
        ids = self._first[rows // self.tile, columns // self.tile] + parts
        mask: _Mask = (parts > 0) & (self._region_of_part[ids] == self._region_of(cell))
        return mask

    def _mask_of(self, region: int) -> _Mask:
        tile = self.tile
        mask = np.zeros(self.cells.shape, np.bool_)
        for row, column in np.ndindex(self.counts.shape):
            window = (slice(row * tile, (row + 1) * tile),
                      slice(column * tile, (column + 1) * tile))
            first = self._first[row, column]
            mine = self._region_of_part[first:first + self.counts[row, column] + 1] == region
            mine[0] = False
            mask[window] = mine[self.parts[window]]
        mask.flags.writeable = False
        return mask

    def _region_of(self, cell: tuple[int, int]) -> int:
        part = int(self.parts[cell])
        row, column = cell
        return int(self._region_of_part[
            self._first[row // self.tile, column // self.tile] + part]) if part else -1

    @cached_property
    def _first(self) -> _Counts:
        """Index of each tile's part 0 in a list of all parts of all tiles."""
        ends = np.cumsum(self.counts.ravel() + 1, dtype=np.int32)
        first: _Counts = (ends - self.counts.ravel() - 1).reshape(self.counts.shape)
        return first

    @cached_property
    def _region_of_part(self) -> _Counts:
        """Region of each part, by its index in that list."""
        pairs = [*_meeting(self.parts, self._first, self.tile),
                 *_meeting(self.parts.T, self._first.T, self.tile)]
        count = int((self.counts + 1).sum())
        one, other = (np.concatenate(side) for side in zip(*pairs, strict=True))
        graph = coo_array((np.ones(len(one), np.bool_), (one, other)), shape=(count, count))
        regions: _Counts = connected_components(graph, directed=False)[1]
        return regions


def _meeting(parts: _Parts, first: _Counts, tile: int) -> list[tuple[_Counts, _Counts]]:
    """Pairs of indices of parts that meet across the borders between rows of tiles."""
    above, below = parts[tile - 1:-1:tile], parts[tile::tile]
    columns = np.arange(parts.shape[1]) // tile
    upper, lower = first[:len(above)][:, columns] + above, first[1:][:, columns] + below
    found = []
    for here, there in ((np.s_[:, :], np.s_[:, :]), (np.s_[:, 1:], np.s_[:, :-1]),
                        (np.s_[:, :-1], np.s_[:, 1:])):
        both = (above[here] > 0) & (below[there] > 0)
        one, other = upper[here][both], lower[there][both]
        # Two parts meet in many cells, one after the other.
        new = np.ones(len(one), np.bool_)
        new[1:] = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
        found.append((one[new], other[new]))
    return found


def regions_of(cells: _Mask, before: Regions | None = None, tile: int = _TILE) -> Regions:
    """The connected regions of open cells.

    Args:
        cells: mask of the open cells, shape (height, width).
        before: regions of earlier cells: unchanged tiles keep their parts.
        tile: edge of a tile in cells; later regions keep that of the first.
    """
    if before is None or before.cells.shape != cells.shape:
        changed = np.ones(tuple(-(-size // tile) for size in cells.shape), np.bool_)
        parts, counts = np.zeros(cells.shape, np.uint16), np.zeros(changed.shape, np.int32)
    else:
        tile = before.tile
        different = cells != before.cells
        rows = np.flatnonzero(different.any(axis=1))
        if not rows.size:
            return before
        changed = np.zeros(before.counts.shape, np.bool_)
        among, columns = np.nonzero(different[rows])
        changed[rows[among] // tile, columns // tile] = True
        parts, counts = before.parts.copy(), before.counts.copy()
    for row, column in np.argwhere(changed).tolist():
        window = (slice(row * tile, (row + 1) * tile), slice(column * tile, (column + 1) * tile))
        parts[window], counts[row, column] = ndimage.label(cells[window], _EIGHT)
    return Regions(cells, parts, counts, tile)
