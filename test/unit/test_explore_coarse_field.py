"""Ways over large maps, against those over all their cells."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import examples

from semantic_nav.explore.coarse_field import Ways, ways_from
from semantic_nav.explore.distance_field import distance_field
from semantic_nav.explore.regions import regions_of

SHAPES = st.tuples(st.integers(1, 30), st.integers(1, 30))
GRIDS = SHAPES.flatmap(lambda shape: arrays(np.bool_, shape))


def ways_over(grid: np.ndarray, start: tuple[int, int], most_cells: int = 250_000) -> Ways:
    return ways_from(regions_of(grid), start, 0.05, most_cells)


@settings(max_examples=examples(150))
@given(GRIDS, st.data(), st.integers(1, 900))
def test_where_a_way_leads_is_exact(grid: np.ndarray, data: st.DataObject,
                                    most_cells: int) -> None:
    start = (data.draw(st.integers(0, grid.shape[0] - 1)),
             data.draw(st.integers(0, grid.shape[1] - 1)))
    grid[start] = True
    before = grid.copy()
    ways = ways_over(grid, start, most_cells)
    field, exact = ways.all_m, distance_field(grid, start, 0.05)
    assert field.dtype == np.float32 and field.shape == grid.shape and field[start] == 0.0
    assert (np.isfinite(field) == np.isfinite(exact)).all()
    assert (ways.reached == np.isfinite(exact)).all()
    assert (grid == before).all(), "the grid is the caller's"


@settings(max_examples=examples(150))
@given(GRIDS, st.data(), st.integers(1, 900))
def test_a_part_is_as_in_the_whole(grid: np.ndarray, data: st.DataObject,
                                   most_cells: int) -> None:
    start = (data.draw(st.integers(0, grid.shape[0] - 1)),
             data.draw(st.integers(0, grid.shape[1] - 1)))
    grid[start] = True
    ways = ways_over(grid, start, most_cells)
    rows, columns = (slice(*sorted(data.draw(st.tuples(*[st.integers(0, size + 3)] * 2))))
                     for size in grid.shape)
    np.testing.assert_array_equal(ways.of((rows, columns)), ways.all_m[rows, columns])
    for cell in np.ndindex(grid.shape):
        assert ways.length_m(cell) == ways.all_m[cell]
        assert ways.length_m(cell) <= ways.at_most_m(cell) + 1e-6 or not ways.reached[cell]


@settings(max_examples=examples(150))
@given(GRIDS, st.data(), st.sampled_from([1, 900]))
def test_a_way_that_still_leads_is_no_longer_than_it_was(
        grid: np.ndarray, data: st.DataObject, most_cells: int) -> None:
    """What was found before a change answers for it where nothing changed along the way."""
    def cell() -> tuple[int, int]:
        return (data.draw(st.integers(0, grid.shape[0] - 1)),
                data.draw(st.integers(0, grid.shape[1] - 1)))

    start, goal, now, changed = cell(), cell(), cell(), grid.copy()
    grid[start] = True
    ways = ways_over(grid, start, most_cells)
    for _ in range(data.draw(st.integers(0, 3))):
        row, column = cell()
        changed[row:row + 3, column:column + 3] ^= True
    changed[now] = True
    after = ways_over(changed, now, most_cells)
    if ways.reached[goal] and ways.reached[now] and ways.lead_over(after.regions, now, goal):
        bound_m = ways.at_most_m(goal) + ways.at_most_m(now)
        assert after.length_m(goal) <= bound_m + 3 * ways.edge * 0.05
    if (grid == changed).all() and ways.reached[goal] and ways.reached[now]:
        assert ways.lead_over(after.regions, now, goal)


def rooms(cells: int, every: int, thick: int, door: int, seed: int) -> np.ndarray:
    """Return a square of rooms with walls as thick as a costmap makes them, and a door in each."""
    rng = np.random.default_rng(seed)
    grid = np.ones((cells, cells), np.bool_)
    for wall in range(every, cells - every, every):
        for along in range(0, cells, every):
            at = along + int(rng.integers(thick, every - door))
            for walls in (grid, grid.T):
                walls[wall:wall + thick, along:along + every] = False
                walls[wall:wall + thick, at:at + door] = True
    return grid


@pytest.mark.parametrize('seed', range(3))
def test_ways_of_a_large_map_are_right_to_two_blocks(seed: int) -> None:
    grid = rooms(600, every=100, thick=10, door=7, seed=seed)
    start = (50, 40)
    field, exact = ways_over(grid, start).all_m, distance_field(grid, start, 0.05)
    reached = np.isfinite(exact)
    assert reached.mean() > 0.85 and (np.isfinite(field) == reached).all()
    off_m = np.abs(field[reached] - exact[reached])
    block_m = 3 * 0.05
    assert 0.0 < off_m.max() <= 2 * block_m + 0.03 * exact[reached].max()
    assert np.median(off_m) <= block_m


def test_small_maps_are_not_made_coarser() -> None:
    grid = rooms(200, every=100, thick=10, door=7, seed=1)
    exact = distance_field(grid, (5, 5), 0.05)
    np.testing.assert_array_equal(ways_over(grid, (5, 5)).all_m, exact)
