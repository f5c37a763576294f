"""Approximate distance field of a large map, in a fraction of the time of an exact one."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from semantic_nav.explore.distance_field import lengths_from
from semantic_nav.explore.regions import Regions

#: Cells up to which a map is not made coarser; a larger one gets a quarter of them.
_MOST_CELLS = 250_000
#: Least width that a costmap closes round a thin wall, for a small robot, in m.
_CLOSED_M = 0.3
_Mask = NDArray[np.bool_]
_T = TypeVar('_T', np.bool_, np.float32)


@dataclass(frozen=True, eq=False)
class Ways:
    """Ways from a start over the cells connected with it.

    Reachability is exact. Of a large map the lengths are those of ways over blocks of cells, two
    of which are joined where a traversable cell of one lies beside one of the other. They are off
    by at most about two blocks, and by the error of eight directions. Ways may lead through closed
    cells that are thinner than a block. Blocks are therefore no larger than what a costmap closes
    round a thin wall, for the middle of a robot keeps away from both sides.

    Attributes:
        regions: connected regions of the traversable cells.
        start: row and column of one of these cells.
        resolution_m: edge of a cell.
        edge: cells along a block; 1 where the map is not large.
        lengths: of the ways to each block, in blocks, shape (rows, columns); infinite for none.
        came_from: flat index of the block before each one on its way; negative for none.
        joined: see `_joined`; empty where blocks are cells.
    """

    regions: Regions
    start: tuple[int, int]
    resolution_m: float
    edge: int
    lengths: NDArray[np.float64]
    came_from: NDArray[np.int32]
    joined: dict[tuple[int, int], _Mask]

    @cached_property
    def reached(self) -> _Mask:
        """Mask of the cells to which a way leads, shape (height, width)."""
        return self.regions.around(self.start)

    @cached_property
    def all_m(self) -> NDArray[np.float32]:
        """Length of the way to each cell, in m; infinite where none leads."""
        return self.of((slice(None), slice(None)))

    def of(self, window: tuple[slice, slice]) -> NDArray[np.float32]:
        """Length of the way to each cell of a window, in m; the window is clipped to the map."""
        if self.edge == 1:
            return (self.lengths[window] * self.resolution_m).astype(np.float32)
        ranges = [part.indices(size)[:2] for part, size in zip(
            window, self.reached.shape, strict=True)]
        blocks = [(max(0, low // self.edge - 1), -(-high // self.edge) + 1)
                  for low, high in ranges]
        part = tuple(slice(low, high) for low, high in blocks)
        fine = _spread(self.lengths[part], {
            step: mask[part] for step, mask in self.joined.items()}, self.edge)
        inner = tuple(slice(low - first * self.edge, high - first * self.edge)
                      for (low, high), (first, _) in zip(ranges, blocks, strict=True))
        lengths = fine[inner]
        lengths[~self.reached[window]] = np.inf
        (top, bottom), (left, right) = ranges
        row, column = self.start
        if top <= row < bottom and left <= column < right:
            lengths[row - top, column - left] = 0.0
        return lengths * np.float32(self.resolution_m)

    def length_m(self, cell: tuple[int, int]) -> float:
        """Length of the way to a cell, in m; infinite where none leads."""
        row, column = cell
        return float(self.of((slice(row, row + 1), slice(column, column + 1)))[0, 0])

    def at_most_m(self, cell: tuple[int, int]) -> float:
        """Upper bound of the way to a reached cell, in m, without any search."""
        row, column = cell
        straight = 0 if self.edge == 1 else 1
        return (float(self.lengths[row // self.edge, column // self.edge]) + straight) * (
            self.edge * self.resolution_m)

    def lead_over(self, regions: Regions, *cells: tuple[int, int]) -> bool:
        """Tell whether the ways to some cells lead over blocks whose reachability has not changed.

        Args:
            regions: of the cells that are traversable now.
            cells: to which a way led.
        """
        width, cell_rows = self.lengths.shape[1], np.arange(self.edge)
        before, blocks = self.came_from.ravel(), []
        for row, column in cells:
            block = row // self.edge * width + column // self.edge
            while block >= 0:
                blocks.append(block)
                block = int(before[block])
        height, across = self.regions.cells.shape
        rows, columns = np.divmod(np.array(blocks), width)
        rows = np.minimum(rows[:, None] * self.edge + cell_rows, height - 1)[:, :, None]
        columns = np.minimum(columns[:, None] * self.edge + cell_rows, across - 1)[:, None, :]
        return bool((self.regions.reached(self.start, rows, columns)
                     == regions.reached(cells[0], rows, columns)).all())


def ways_from(regions: Regions, start: tuple[int, int], resolution_m: float,
              most_cells: int = _MOST_CELLS) -> Ways:
    """The ways from a start.

    Args:
        regions: connected regions of the traversable cells.
        start: row and column of one of these cells.
        resolution_m: edge of a cell.
        most_cells: largest number of cells of a map that is not made coarser.
    """
    cells = regions.cells
    if cells.size <= most_cells:
        return Ways(regions, start, resolution_m, 1, *lengths_from(cells, start), {})
    edge = min(math.ceil(2 * math.sqrt(cells.size / most_cells)),
               max(2, math.floor(_CLOSED_M / resolution_m)))
    height, width = (-(-size // edge) for size in cells.shape)
    blocks = np.zeros((height * edge, width * edge), np.bool_)
    blocks[:cells.shape[0], :cells.shape[1]] = regions.around(start)
    joined = _joined(blocks.reshape(height, edge, width, edge))
    lengths, came_from = dijkstra(
        _graph(joined), directed=False, return_predecessors=True,
        indices=start[0] // edge * width + start[1] // edge)
    return Ways(regions, start, resolution_m, edge, lengths.reshape(height, width),
                came_from.reshape(height, width), joined)


def _joined(blocks: _Mask) -> dict[tuple[int, int], _Mask]:
    """Masks of the blocks that are joined with the one a step in rows and columns away.

    Args:
        blocks: mask of the cells, shape (rows of blocks, cells, columns of blocks, cells).

    Returns:
        A mask for each of four steps, shape (rows, columns); the other four are these reversed.
    """
    rows, _, columns, _ = blocks.shape
    found = {step: np.zeros((rows, columns), np.bool_) for step in (
        (0, 1), (1, 0), (1, 1), (1, -1))}
    found[0, 1][:, :-1] = (blocks[:, :, :-1, -1] & _widened(blocks[:, :, 1:, 0])).any(axis=1)
    found[1, 0][:-1] = (blocks[:-1, -1].swapaxes(1, 2)
                        & _widened(blocks[1:, 0].swapaxes(1, 2))).any(axis=1)
    found[1, 1][:-1, :-1] = blocks[:-1, -1, :-1, -1] & blocks[1:, 0, 1:, 0]
    found[1, -1][:-1, 1:] = blocks[:-1, -1, 1:, 0] & blocks[1:, 0, :-1, -1]
    return found


def _widened(edges: _Mask) -> _Mask:
    """Cells along the edges of blocks and those beside them, along axis 1."""
    wide = edges.copy()
    wide[:, 1:] |= edges[:, :-1]
    wide[:, :-1] |= edges[:, 1:]
    return wide


def _graph(joined: dict[tuple[int, int], _Mask]) -> csr_array:
    height, width = joined[0, 1].shape
    froms, tos, lengths = [], [], []
    for (down, right), mask in joined.items():
        here = np.flatnonzero(mask)
        froms.append(here)
        tos.append(here + down * width + right)
        lengths.append(np.full(len(here), math.hypot(down, right)))
    return csr_array((np.concatenate(lengths), (np.concatenate(froms), np.concatenate(tos))),
                     shape=(height * width, height * width))


def _spread(ways: NDArray[np.float64], joined: dict[tuple[int, int], _Mask],
            edge: int) -> NDArray[np.float32]:
    """Length of the way to each cell, in cells: straight from the best of the blocks round it.

    Args:
        ways: lengths to the middle of each block, in blocks, shape (rows, columns).
        joined: see `_joined`.
        edge: cells along a block.
    """
    rows, columns = ways.shape
    middles = (ways * edge).astype(np.float32)
    inner = np.arange(edge, dtype=np.float32) - np.float32((edge - 1) / 2)
    best = np.full((rows, edge, columns, edge), np.inf, np.float32)
    about = {(0, 0): np.ones((rows, columns), np.bool_), **joined, **{
        (-down, -right): _moved(mask, -down, -right, False)
        for (down, right), mask in joined.items()}}
    for (down, right), meets in about.items():
        there = np.where(meets, _moved(middles, down, right, np.inf), np.float32(np.inf))
        away = np.hypot((inner - down * edge)[:, None], inner - right * edge)
        np.minimum(best, there[:, None, :, None] + away[None, :, None, :], out=best)
    return best.reshape(rows * edge, columns * edge)


def _moved(values: NDArray[_T], down: int, right: int, beyond: float) -> NDArray[_T]:
    """For each place the value a step in rows and columns away."""
    padded = np.pad(values, 1, constant_values=beyond)
    rows, columns = values.shape
    moved: NDArray[_T] = padded[1 + down:1 + down + rows, 1 + right:1 + right + columns]
    return moved
