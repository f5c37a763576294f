"""Probability that the target is here although no look has found it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.explore.cells import grown, grown_within, parts_with
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.overlooked import Place, cells_at
from semantic_nav.explore.sweeps import worth_by_area

#: Share of places that no look shows, as the inside of a drawer; an estimate.
HIDDEN = 0.02
#: Factor on the probability of a place after a sighting, an estimate: a model shows a target that
#: is there in about every second look, and claims one at a place without it in one of forty.
_SIGHTED = 20.0
#: Weight of unknown area near known area: behind a door lies a room.
_UNKNOWN_WORTH = 2.0
#: Range of that area from known floor, and depth of furniture beside floor, in m.
_INTO_UNKNOWN_M, _BESIDE_M = 1.5, 0.3
#: Half the width of a slit between mapped walls, which is no opening, in m.
_SLIT_M = 0.15


def p_here(coverage: GoalCoverage, floor: NDArray[np.bool_], sighted: Sequence[Place],
           absent: float) -> float:
    """Probability that the target is here after looks that did not show it, 0..1.

    By Bayes' rule: the probability left over eyesights and cells, against that of a target that
    never was here (Stone, Theory of Optimal Search, 1975).

    Args:
        coverage: coverage by these looks.
        floor: cells to which a way leads, in the shape of the map.
        sighted: x and y of sightings that were not confirmed, in the map frame.
        absent: prior probability that the target is not here, 0..1.
    """
    grid = coverage.in_range.grid
    prior = worth_of_places(grid)
    prior *= _may_hold(grid, floor, coverage)
    worth = _likelier_at(grid, sighted, prior)
    total, product = float(prior.sum()), np.empty_like(worth)
    left = sum(one.eyes.share * float(np.multiply(worth, one.chance, out=product).sum())
               for one in coverage.overlooked)
    overlooked = HIDDEN + (1.0 - HIDDEN) * (left / total if total else 1.0)
    here = (1.0 - absent) * overlooked
    return here / (here + absent)


def worth_of_places(grid: OccupancyGrid, sighted: Sequence[Place] = ()) -> NDArray[np.float64]:
    """Prior probability of the target in each cell before any look, up to a factor.

    Args:
        grid: the map.
        sighted: x and y of sightings that were not confirmed, in the map frame.
    """
    return _likelier_at(grid, sighted, worth_by_area(grid, _UNKNOWN_WORTH))


def _likelier_at(grid: OccupancyGrid, sighted: Sequence[Place],
                 worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Worth of cells after sightings; a cell of several sightings counts once."""
    if not sighted:
        return worth
    likelier = worth.copy()
    for place in sighted:
        there = cells_at(grid, place)
        likelier[there] = _SIGHTED * worth[there]
    return likelier


def _may_hold(grid: OccupancyGrid, floor: NDArray[np.bool_],
              coverage: GoalCoverage) -> NDArray[np.bool_]:
    """Mask of the cells of the home: cells that were seen, its floor, and what lies beside that.

    Floor that shows through slits in the walls does not belong to it, nor unknown cells outside.
    """
    def cells(length_m: float) -> int:
        return max(1, round(length_m / grid.resolution_m))

    seen = np.zeros(grid.shape, np.bool_)
    for one in coverage.overlooked:
        seen |= one.best > 0
    passable = grid.free | (grid.cells == UNKNOWN)
    wide = grown(~passable, cells(_SLIT_M))
    np.logical_not(wide, out=wide)
    rooms = parts_with(wide & grid.free, wide & floor)
    rooms = grown_within(rooms, wide, cells(_INTO_UNKNOWN_M))
    rooms = grown_within(rooms, passable, cells(_SLIT_M)) | floor
    beside = ~passable & grown(rooms, cells(_BESIDE_M))
    home: NDArray[np.bool_] = seen | rooms | beside
    return home
