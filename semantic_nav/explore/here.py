"""How likely a target that no look has found is here all the same."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.explore.cells import grown, grown_within, parts_with
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.overlooked import Place, cells_at
from semantic_nav.explore.sweeps import worth_by_area

#: The share of places that no look shows, as the inside of a drawer; an estimate.
HIDDEN = 0.02
#: A place is so many times likelier after a sighting: a model shows a target that is there in
#: about every second look, and claims one at a place without it in one of forty. An estimate.
_SIGHTED = 20.0
#: How many times its area the unknown counts near what is known: behind a door lies a room.
_UNKNOWN_WORTH = 2.0
#: So far from known floor it is near, and so deep furniture stands beside it, in metres.
_INTO_UNKNOWN_M, _BESIDE_M = 1.5, 0.3
#: Half the width of what is no opening but a slit between walls as they are mapped, in metres.
_SLIT_M = 0.15


def p_here(coverage: GoalCoverage, floor: NDArray[np.bool_], sighted: Sequence[Place],
           absent: float) -> float:
    """Return how likely the target is here after looks that did not show it, 0..1.

    By Bayes' rule: what is left of the places where it may be, over eyesights and cells, against
    that it never was here (Stone, Theory of Optimal Search, 1975).

    Args:
        coverage: of these looks.
        floor: cells that a way leads to, shape as the map's.
        sighted: where something was taken for the target that was not confirmed.
        absent: how likely it was before them that the target is not here, 0..1.
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
    """Return how likely the target lies in each cell before any look, up to a factor.

    Args:
        grid: the map.
        sighted: where something was taken for the target that was not confirmed.
    """
    return _likelier_at(grid, sighted, worth_by_area(grid, _UNKNOWN_WORTH))


def _likelier_at(grid: OccupancyGrid, sighted: Sequence[Place],
                 worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what cells are worth after sightings; those of several count once."""
    if not sighted:
        return worth
    likelier = worth.copy()
    for place in sighted:
        there = cells_at(grid, place)
        likelier[there] = _SIGHTED * worth[there]
    return likelier


def _may_hold(grid: OccupancyGrid, floor: NDArray[np.bool_],
              coverage: GoalCoverage) -> NDArray[np.bool_]:
    """Return the cells of the home: what was seen, its floor, and what lies beside that.

    What shows through slits in the walls is none of it, nor what is unknown outside.
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
