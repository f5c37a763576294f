"""How far it is to drive to each cell of a large map, in a fraction of the time, and about."""

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from semantic_nav.explore.distance_field import distance_field

#: A map of no more cells is not made coarser, and a larger one to a quarter of them.
_MOST_CELLS = 250_000
_EIGHT = np.ones((3, 3), np.bool_)
#: What a costmap closes at least round a thin wall, for a small robot, in metres.
_CLOSED_M = 0.3
_Mask = NDArray[np.bool_]
_T = TypeVar('_T', np.bool_, np.float32)


def ways_over(traversable: _Mask, start: tuple[int, int], resolution_m: float,
              most_cells: int = _MOST_CELLS) -> NDArray[np.float32]:
    """Return what `distance_field` does, of a large map but nearly.

    Which cells a way leads to is exact. Of a large map the lengths are those of ways over blocks
    of cells, two of which are joined where a traversable cell of the one lies beside one of the
    other: off by no more than about two blocks and what eight directions make of any other.
    Where what is closed is thinner than a block ways may lead through it: blocks are no larger
    than what a costmap closes round a thin wall, for the middle of a robot keeps away from both
    sides.

    Args:
        traversable: shape (height, width).
        start: row and column, taken as traversable.
        resolution_m: edge of a cell.
        most_cells: of a map that is not large.

    Returns:
        Metres from the start, shape (height, width); infinite where no way leads.
    """
    if traversable.size <= most_cells:
        return distance_field(traversable, start, resolution_m)
    open_cells = traversable.copy()
    open_cells[start] = True
    parts, _ = ndimage.label(open_cells, _EIGHT)
    reached: _Mask = parts == parts[start]
    edge = min(math.ceil(2 * math.sqrt(traversable.size / most_cells)),
               max(2, math.floor(_CLOSED_M / resolution_m)))
    height, width = (-(-size // edge) for size in traversable.shape)
    blocks = np.zeros((height * edge, width * edge), np.bool_)
    blocks[:traversable.shape[0], :traversable.shape[1]] = reached
    joined = _joined(blocks.reshape(height, edge, width, edge))
    source = start[0] // edge * width + start[1] // edge
    ways = dijkstra(_graph(joined), directed=False, indices=source).reshape(height, width)
    fine = _spread(ways, joined, edge)[:traversable.shape[0], :traversable.shape[1]]
    fine[~reached] = np.inf
    fine[start] = 0.0
    return fine * np.float32(resolution_m)


def _joined(blocks: _Mask) -> dict[tuple[int, int], _Mask]:
    """Return which blocks are joined with the one a step in rows and columns away.

    Args:
        blocks: cells, shape (rows of blocks, cells, columns of blocks, cells).

    Returns:
        For each of four steps, shape (rows, columns); the other four are these reversed.
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
    """Return cells along the edges of blocks and those beside them, along axis 1."""
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
    """Return the way to each cell, in cells: straight from the best of the blocks about it.

    Args:
        ways: to the middle of each block, in blocks, shape (rows, columns).
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
    """Return at each place the value a step in rows and columns away."""
    padded = np.pad(values, 1, constant_values=beyond)
    rows, columns = values.shape
    moved: NDArray[_T] = padded[1 + down:1 + down + rows, 1 + right:1 + right + columns]
    return moved
