"""Exploration policy that looks everywhere: coarse to fine, then from nearby, then again."""

import math
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.explore.coverage import NEARBY
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.sight import APART_M
from semantic_nav.explore.viewpoints import ExploreSettings, Viewpoint, Worth


@dataclass(frozen=True)
class _Sweep:
    """One way of looking everywhere.

    Attributes:
        gain_share: share of the least gain that is worth a way.
        nearby: only looks from nearby count, earlier ones included.
        second: a look counts only after one from another place.
    """

    gain_share: float
    nearby: bool = False
    second: bool = False


#: Large gaps first, then small ones.
GAPS = (_Sweep(1.0), _Sweep(0.5))
#: Then cells seen only from afar, where a model may overlook the target.
_ALL = (*GAPS, _Sweep(1.0, nearby=True), _Sweep(1.0, second=True))

#: Weight of the area of furniture: things lie on it.
FURNITURE_WORTH = 3.0
#: Least gain of any view, as a share of the gain that is worth a way.
LEAST_GAIN_SHARE = min(one.gain_share for one in _ALL)


@dataclass(frozen=True)
class Sweeps:
    """Goes from one sweep to the next when nothing is left to look at.

    Attributes:
        look_range_m: range of a look.
        min_gain_m2: unlooked floor that makes a viewpoint worth the way.
        sweeps: all of them, in order.
        sweep: index of the current one.
    """

    look_range_m: float
    min_gain_m2: float
    sweeps: tuple[_Sweep, ...] = _ALL
    sweep: int = 0

    def next_views(self, search: Search) -> NextViews:
        """The views of the first sweep, from the current one on, that has any left."""
        policy, views = self, self._views(search)
        wanted = [one for one in self.sweeps
                  if not one.second or search.from_two_places is not None]
        while not views and policy.sweep < len(wanted) - 1:
            policy = replace(policy, sweep=policy.sweep + 1)
            views = policy._views(search)
        return NextViews(views, policy)

    def _views(self, search: Search) -> tuple[Viewpoint, ...]:
        sweep = self.sweeps[self.sweep]
        looked = (search.coverage.nearby if sweep.nearby else search.coverage.in_range).looked
        settings = replace(
            ExploreSettings(),
            range_m=self.look_range_m * (NEARBY if sweep.nearby else 1.0),
            half_angle_rad=search.half_angle_rad,
            min_gain_m2=self.min_gain_m2 * sweep.gain_share)
        if sweep.second:
            if search.from_two_places is None:
                return ()
            looked = search.from_two_places
            # A turn at an earlier place gives no second look.
            settings = replace(settings, dormant_m=APART_M, dormant_rad=2 * math.pi)
        worths = [unlooked_worth(search.grid, looked)]
        return tuple(islice(search.ranked(worths, settings), search.views_wanted))


def unlooked_worth(grid: OccupancyGrid, looked: NDArray[np.bool_]) -> Worth:
    """Worth of a look at the cells of a map.

    Furniture counts more than floor, unknown cells as floor.
    """
    return Worth(worth_by_area(grid) * ~looked)


def worth_by_area(grid: OccupancyGrid, unknown: float = 1.0) -> NDArray[np.float64]:
    """Weight of the area of each cell, in the shape of the map; 1 for floor."""
    values = np.arange(256, dtype=np.uint8).view(np.int8)
    worth = np.where(values >= OCCUPIED, FURNITURE_WORTH,
                     np.where(values == UNKNOWN, unknown, 1.0))
    return worth.take(grid.cells.view(np.uint8))
