"""How likely the target is here after looks that did not show it."""

from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room

from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.distance_field import distance_field
from semantic_nav.explore.here import HIDDEN, p_here, worth_of_places

PLACE = (4.0, 3.0)


def coverage(grid: OccupancyGrid, chance: float = 1.0, west: float | None = None) -> GoalCoverage:
    """Return one with this chance to have overlooked a thing, or another one in the west."""
    chances = np.full(grid.shape, chance)
    if west is not None:
        chances[:, :grid.shape[1] // 2] = west
    before = GoalCoverage.none(grid)
    return replace(before, overlooked=tuple(
        replace(one, chance=chances) for one in before.overlooked))


def likely(grid: OccupancyGrid, looks: GoalCoverage, *sighted: tuple[float, float],
           absent: float = 0.5) -> float:
    way_m = distance_field(grid.free, grid.cell_of(*PLACE), grid.resolution_m)
    return p_here(looks, np.isfinite(way_m), sighted, absent)


@pytest.mark.parametrize('absent', [0.1, 0.5, 0.9])
def test_before_the_first_look_it_is_as_likely_as_was_said(absent: float) -> None:
    grid = Room().map()
    assert likely(grid, coverage(grid), absent=absent) == pytest.approx(1.0 - absent)


def test_it_falls_with_what_was_overlooked_and_never_to_nothing() -> None:
    grid = Room().map()
    chances = [likely(grid, coverage(grid, chance)) for chance in (1.0, 0.5, 0.1, 0.0)]
    assert chances == sorted(chances, reverse=True)
    assert chances[1] == pytest.approx(0.51 / 1.51)
    assert chances[-1] == pytest.approx(HIDDEN / (1.0 + HIDDEN))


def test_what_nobody_has_seen_yet_keeps_it_likely() -> None:
    known = Room().map()
    opened = replace(known, cells=np.where(
        np.arange(known.shape[1]) > 120, np.int8(UNKNOWN), known.cells))
    assert likely(opened, coverage(opened, 1.0, west=0.0)) > likely(opened, coverage(opened, 0.0))
    half = coverage(opened, 0.0)
    beyond = opened.cells == UNKNOWN
    half = replace(half, overlooked=tuple(
        replace(one, chance=np.where(beyond, 1.0, 0.0)) for one in half.overlooked))
    assert likely(opened, half) > 3.0 * likely(opened, coverage(opened, 0.0))


def test_what_lies_outside_of_the_walls_does_not_count() -> None:
    """A slit between walls, as noise leaves them in a map, is no door."""
    walled = Room(blocks=[Block((6.0, 6.1), (0.0, 6.0))]).map()
    beyond = np.arange(walled.shape[1]) > walled.cell_of(6.1, 0.0)[1]
    cells = np.where(beyond, np.int8(UNKNOWN), walled.cells)
    column = walled.cell_of(6.05, 3.0)[1]
    cells[58:62, column - 2:column + 3] = 0
    slit = replace(walled, cells=cells)
    looks = coverage(slit, 0.1)
    looks = replace(looks, overlooked=tuple(
        replace(one, chance=np.where(beyond, 1.0, one.chance)) for one in looks.overlooked))
    assert likely(slit, looks) == pytest.approx(likely(slit, coverage(slit, 0.1)), abs=0.01)


def test_what_stands_in_a_room_belongs_to_it() -> None:
    """The target lies on furniture more often than on the floor."""
    grid = Room(blocks=[Block((3.0, 3.5), (1.0, 1.5))]).map()
    stands = grid.cells > 0
    looks = coverage(grid, 0.0)
    looks = replace(looks, overlooked=tuple(
        replace(one, chance=np.where(stands, 1.0, 0.0)) for one in looks.overlooked))
    assert likely(grid, looks) > 1.5 * likely(grid, coverage(grid, 0.0))


def test_sighting_that_was_not_confirmed_leaves_it_likelier_at_its_place() -> None:
    grid = Room().map()
    looks = coverage(grid, 0.1)
    assert likely(grid, looks, PLACE) > likely(grid, looks)
    assert likely(grid, looks, PLACE, PLACE) == likely(grid, looks, PLACE)
    assert likely(grid, looks, (-50.0, 99.0)) == likely(grid, looks), 'it is in no map'
    row, column = grid.cell_of(*PLACE)
    worth = worth_of_places(grid, [PLACE])
    assert worth[row, column] > 10.0 * worth[row, column + 20]
    assert worth[row, column + 20] == worth_of_places(grid)[row, column + 20]
