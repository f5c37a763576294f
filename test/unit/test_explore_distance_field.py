"""Ways over a grid, against a search that is too simple to be wrong."""

import heapq
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import examples

from semantic_nav.explore.distance_field import distance_field, nearest_open

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9))
GRIDS = SHAPES.flatmap(lambda shape: arrays(np.bool_, shape))


def brute_force(traversable: np.ndarray, start: tuple[int, int]) -> np.ndarray:
    """Dijkstra's algorithm, cell by cell."""
    way = np.full(traversable.shape, math.inf)
    way[start] = 0.0
    queue = [(0.0, start)]
    while queue:
        length, (row, column) = heapq.heappop(queue)
        if length > way[row, column]:
            continue
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                r, c = row + down, column + right
                if not (0 <= r < way.shape[0] and 0 <= c < way.shape[1]) or not traversable[r, c]:
                    continue
                further = length + math.hypot(down, right)
                if further < way[r, c] - 1e-12:
                    way[r, c] = further
                    heapq.heappush(queue, (further, (r, c)))
    return way


@settings(max_examples=examples(150))
@given(GRIDS, st.data(), st.sampled_from([0.05, 1.0]))
def test_field_is_the_shortest_way(grid: np.ndarray, data: st.DataObject,
                                   resolution_m: float) -> None:
    start = (data.draw(st.integers(0, grid.shape[0] - 1)),
             data.draw(st.integers(0, grid.shape[1] - 1)))
    before = grid.copy()
    field = distance_field(grid, start, resolution_m)
    assert field.dtype == np.float32 and field.shape == grid.shape
    np.testing.assert_allclose(field, brute_force(grid, start) * resolution_m, rtol=1e-6)
    assert (grid == before).all(), "the grid is the caller's"


def test_one_grid_from_several_starts_and_one_start_in_several_grids() -> None:
    """What is kept between calls belongs to the grid, not to the place in memory."""
    grid = np.ones((5, 7), np.bool_)
    for start in ((0, 0), (4, 6), (0, 0)):
        assert distance_field(grid, start, 1.0)[start] == 0.0
    grid[:, 3] = False
    assert not np.isfinite(distance_field(grid, (0, 0), 1.0)[:, 4:]).any()
    flipped = np.ones((7, 5), np.bool_)
    assert distance_field(flipped, (0, 0), 1.0)[6, 4] == pytest.approx(4 * math.sqrt(2) + 2)


@settings(max_examples=examples(100))
@given(GRIDS, st.integers(-3, 12), st.integers(-3, 12), st.integers(0, 6))
def test_nearest_open_cell(grid: np.ndarray, row: int, column: int, radius: int) -> None:
    found = nearest_open(grid, (row, column), radius)
    distances = {(int(r), int(c)): math.hypot(r - row, c - column)
                 for r, c in zip(*np.nonzero(grid), strict=True)}
    within = {cell: far for cell, far in distances.items() if far <= radius}
    if not within:
        assert found is None
    else:
        assert found is not None and grid[found]
        assert distances[found] == min(within.values())
