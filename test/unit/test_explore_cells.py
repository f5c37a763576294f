"""Sets of cells and their neighbours, beside SciPy's morphology."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.explore.cells import grown, grown_within, parts_with, places_of

Cells = NDArray[np.bool_]


@pytest.fixture(params=range(40))
def cells(request: pytest.FixtureRequest) -> tuple[Cells, Cells, int]:
    """Some cells, a room with walls and gaps, and a number of steps."""
    rng = np.random.default_rng(request.param)
    shape = rng.integers(1, 60, 2)
    room = ndimage.gaussian_filter(rng.normal(size=shape), 1.0) > rng.uniform(-0.3, 0.3)
    return rng.random(shape) < 0.02, room, int(rng.integers(1, 20))


def test_growing_goes_as_far_as_the_steps(cells: tuple[Cells, Cells, int]) -> None:
    some, room, steps = cells
    assert (grown(some, steps) == ndimage.binary_dilation(some, iterations=steps)).all()
    within = grown_within(some, room, steps)
    assert (within == ndimage.binary_dilation(some, mask=room, iterations=steps)).all()


def test_parts_that_hold_some_are_returned_whole(cells: tuple[Cells, Cells, int]) -> None:
    some, room, _ = cells
    assert (parts_with(room, some) == ndimage.binary_propagation(some & room, mask=room)).all()


def test_places_are_those_of_numpy(cells: tuple[Cells, Cells, int]) -> None:
    for part in (cells[0], cells[1], np.zeros_like(cells[0])):
        assert np.array_equal(places_of(part), np.nonzero(part))
