"""Distance field: the length of the way to each cell of a map."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

#: Row and column steps to half of the eight neighbours; the others are these reversed.
_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def distance_field(traversable: NDArray[np.bool_], start: tuple[int, int],
                   resolution_m: float) -> NDArray[np.float32]:
    """Length of the shortest way to each cell over traversable cells.

    Dijkstra's algorithm on the eight-connected grid (scipy.sparse.csgraph).

    Args:
        traversable: shape (height, width).
        start: row and column, taken as traversable.
        resolution_m: edge of a cell.

    Returns:
        Lengths in m from the start, shape (height, width); infinite where no way leads.
    """
    lengths, _ = lengths_from(traversable, start)
    return (lengths * resolution_m).astype(np.float32)


def lengths_from(traversable: NDArray[np.bool_], start: tuple[int, int],
                 ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Lengths of these ways in cells, and the cell before each one on its way.

    Args:
        traversable: shape (height, width).
        start: row and column, taken as traversable.

    Returns:
        Both of shape (height, width); cells as flat indices, negative for none.
    """
    height, width = traversable.shape
    open_cells = traversable.copy()
    open_cells[start] = True
    graph = _grid_graph(open_cells.tobytes(), height, width)
    lengths, before = dijkstra(graph, directed=False, indices=start[0] * width + start[1],
                               return_predecessors=True)
    return lengths.reshape(height, width), before.reshape(height, width)


@lru_cache(maxsize=2)
def _grid_graph(mask: bytes, height: int, width: int) -> csr_array:
    traversable = np.frombuffer(mask, np.bool_).reshape(height, width)
    index = np.arange(height * width, dtype=np.int32).reshape(height, width)
    froms, tos, lengths = [], [], []
    for down, right in _STEPS:
        here = (slice(0, height - down), slice(max(0, -right), width - max(0, right)))
        there = (slice(down, height), slice(max(0, right), width + min(0, right)))
        both = traversable[here] & traversable[there]
        froms.append(index[here][both])
        tos.append(index[there][both])
        lengths.append(np.full(int(both.sum()), np.hypot(down, right)))
    return csr_array((np.concatenate(lengths), (np.concatenate(froms), np.concatenate(tos))),
                     shape=(height * width, height * width))


def nearest_open(traversable: NDArray[np.bool_], cell: tuple[int, int],
                 radius_cells: int) -> tuple[int, int] | None:
    """The traversable cell nearest to a cell; None where none lies within the radius."""
    row, column = cell
    top, left = max(0, row - radius_cells), max(0, column - radius_cells)
    window = traversable[top:row + radius_cells + 1, left:column + radius_cells + 1]
    rows, columns = np.nonzero(window)
    if rows.size == 0:
        return None
    squared = (rows + top - row) ** 2 + (columns + left - column) ** 2
    best = int(np.argmin(squared))
    if squared[best] > radius_cells**2:
        return None
    return int(rows[best]) + top, int(columns[best]) + left
