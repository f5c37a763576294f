"""What is remembered in cells stays where it is, under a map whose origin moves by fractions."""

from typing import Protocol

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import examples

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.coverage import Coverage
from semantic_nav.explore.exploration import Exploration, ReachedFloor
from semantic_nav.explore.overlooked import EYESIGHTS, Overlooked, Shown
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav_sim.policies.random_walk import RandomWalk

SIZE_M = 0.05
UPDATES = 10_000
#: By how many cells slam_toolbox moved its origin, once in some 30 s.
SEEN = ((-0.10, -0.42), (0.0, -2.42), (-5.27, 0.0), (-0.41, 0.0), (0.10, 0.16))
Origin = tuple[float, float]


class Remembered(Protocol):
    """What began on a map with a mark at the origin of its frame."""

    def __init__(self, grid: OccupancyGrid) -> None: ...

    def over(self, grid: OccupancyGrid) -> NDArray[np.bool_]:
        """Return which cells of a new map have the mark."""


def grid_at(origin: Origin, more: int = 0) -> OccupancyGrid:
    return OccupancyGrid(np.zeros((40 + more, 50 + more), np.int8), SIZE_M, *origin, 'map', 0)


def marked(grid: OccupancyGrid) -> NDArray[np.bool_]:
    cells = np.zeros(grid.shape, np.bool_)
    cells[grid.cell_of(0.0, 0.0)] = True
    return cells


class OfCoverage:
    """A look at the origin of the frame, and what it says of a new map."""

    def __init__(self, grid: OccupancyGrid) -> None:
        self._last = Coverage(grid, marked(grid), np.zeros(grid.shape, np.uint8))

    def over(self, grid: OccupancyGrid) -> NDArray[np.bool_]:
        self._last = self._last.over(grid)
        return self._last.looked


class OfOverlooked:
    """The chance that it was overlooked there."""

    def __init__(self, grid: OccupancyGrid) -> None:
        self._last = Overlooked.none(EYESIGHTS[0], grid).after(
            Shown.of(marked(grid), grid, (0.5, 0.0)))

    def over(self, grid: OccupancyGrid) -> NDArray[np.bool_]:
        self._last = self._last.over(grid)
        assert ((self._last.chance < 1.0) == (self._last.best > 0)).all()
        return self._last.chance < 1.0


class OfReached:
    """A way led there once, and leads nowhere any more."""

    def __init__(self, grid: OccupancyGrid) -> None:
        self._last = Exploration.begin(RandomWalk()).reaching(grid, marked(grid))

    def over(self, grid: OccupancyGrid) -> NDArray[np.bool_]:
        self._last = self._last.reaching(grid, np.zeros(grid.shape, np.bool_))
        reached = self._last.reached
        assert isinstance(reached, ReachedFloor)
        return reached.cells


@pytest.mark.parametrize('kind', [OfCoverage, OfOverlooked, OfReached])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(3), deadline=None, phases=[Phase.generate])
def test_error_stays_below_half_a_cell_however_often_the_origin_moves(
        kind: type[Remembered], seed: int) -> None:
    rng = np.random.default_rng(seed)
    origin = np.array([-1.2, -1.0])
    remembered = kind(grid_at((-1.225, -1.025)))
    for number in range(UPDATES):
        origin += np.array(SEEN[number % len(SEEN)]) * SIZE_M + rng.normal(0.0, 0.02, 2)
        origin = -0.3 - (-0.3 - origin) % 1.4
        grid = grid_at((float(origin[0]), float(origin[1])), more=int(rng.integers(0, 6)))
        cells = remembered.over(grid)
    (row, column), = np.argwhere(cells)
    x, y = grid.centre_of(int(row), int(column))
    # The look was at the middle of a cell of the first map.
    assert max(abs(x), abs(y)) <= SIZE_M / 2 + 1e-9


@given(origins=st.lists(st.tuples(st.floats(-1.8, -0.2), st.floats(-1.8, -0.2)),
                        min_size=2, max_size=12),
       x=st.floats(-0.1, 0.1), y=st.floats(-0.1, 0.1))
@settings(max_examples=examples(40), deadline=None)
def test_a_look_on_any_later_map_is_marked_where_it_was(
        origins: list[Origin], x: float, y: float) -> None:
    first, *others = map(grid_at, origins)
    coverage = Coverage.none(first)
    for grid in others:
        coverage = coverage.over(grid)
    # From so far off that nothing else is expected to be seen.
    coverage = coverage.after(
        SeenSurfaces(-100.0, -100.0, 0.0, 0.5, 3.0, np.array([[x, y]])))
    (row, column), = np.argwhere(coverage.looked)
    at = coverage.grid.centre_of(int(row), int(column))
    assert max(abs(at[0] - x), abs(at[1] - y)) <= SIZE_M / 2 + 1e-9
    there = others[-1].centre_of(int(row), int(column))
    assert max(abs(there[0] - x), abs(there[1] - y)) <= SIZE_M + 1e-9


def test_a_map_that_stays_is_not_moved() -> None:
    grid = grid_at((-1.237, -1.013))
    assert grid_at((-1.237, -1.013)).on_lattice_of(grid).same_frame(grid)
    assert grid.on_lattice_of(grid) is grid
    coarse = OccupancyGrid(grid.cells, 0.1, -1.0, -1.0, 'map', 0)
    assert coarse.on_lattice_of(grid) is coarse
