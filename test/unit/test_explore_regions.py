"""Which cells hang together, against labelling all of them at once."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage
from strategies import examples

from semantic_nav.explore.regions import Regions, regions_of

SHAPES = st.tuples(st.integers(1, 20), st.integers(1, 20))
GRIDS = SHAPES.flatmap(lambda shape: arrays(np.bool_, shape))


def assert_right(regions: Regions, grid: np.ndarray) -> None:
    labels, _ = ndimage.label(grid, np.ones((3, 3)))
    cells = list(np.ndindex(grid.shape))
    for cell in cells[::7]:
        expected = (labels == labels[cell]) & grid[cell]
        assert (regions.around(cell) == expected).all()
        for other in cells[::5]:
            assert regions.same(cell, other) == expected[other]


@settings(max_examples=examples(100))
@given(GRIDS, st.integers(1, 8), st.data())
def test_regions_are_those_of_the_whole_map(grid: np.ndarray, tile: int,
                                            data: st.DataObject) -> None:
    regions = regions_of(grid, tile=tile)
    assert_right(regions, grid)
    for _ in range(2):
        grid = grid.copy()
        row, column = (data.draw(st.integers(0, size - 1)) for size in grid.shape)
        grid[row:row + data.draw(st.integers(0, 9)), column:column + 2] ^= True
        regions = regions_of(grid, regions)
        assert_right(regions, grid)


def test_regions_of_the_same_cells_stay() -> None:
    grid = np.ones((5, 7), np.bool_)
    regions = regions_of(grid)
    assert regions_of(grid.copy(), regions) is regions


def test_regions_of_another_shape_begin_anew() -> None:
    regions = regions_of(np.ones((3, 3), np.bool_), regions_of(np.ones((5, 7), np.bool_)))
    assert regions.around((0, 0)).shape == (3, 3)


def test_a_winding_way_over_several_tiles_is_one_region() -> None:
    grid = np.ones((300, 300), np.bool_)
    for row in range(5, 300, 10):
        grid[row, :299 if row % 20 == 5 else 300] = False
        grid[row, 0 if row % 20 == 15 else 299] = True
    regions = regions_of(grid)
    assert regions.same((0, 0), (299, 150))
    grid = grid.copy()
    grid[155, [0, 299]] = False
    after = regions_of(grid, regions)
    assert not after.same((0, 0), (299, 150)) and after.same((0, 0), (154, 150))
