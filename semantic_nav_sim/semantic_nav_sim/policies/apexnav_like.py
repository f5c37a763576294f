"""A comparison policy after ApexNav, which uses values only where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from semantic_nav.explore.distance_field import distance_field
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.viewpoints import Viewpoint
from semantic_nav_sim.policies.frontiers import NEAR_M, frontier_views
from semantic_nav_sim.policies.value_map import Likeness, Trust, ValueMap

#: The values are informative if their standard deviation is larger, and if the largest is at least
#: this multiple of their mean.
_DEVIATION, _RATIO = 0.015, 1.10
#: Least share of the largest value / mean for a frontier to count.
_SHARE = 0.9
#: Number of frontiers in a tour, of which all orders are tried.
_TOUR = 6


@dataclass(frozen=True)
class ApexNavLike:
    """Tours the frontiers that stand out by their value, else goes to the nearest one.

    ApexNav (Zhang et al., RA-L 2025); see docs/search.md for what differs.

    Attributes:
        look_range_m: range of a look.
        min_gain_m2: least floor that a frontier must show.
        likeness: similarity of the goal and the looks, in words.
    """

    look_range_m: float
    min_gain_m2: float
    likeness: Likeness = field(compare=False, repr=False)

    def next_views(self, search: Search) -> NextViews:
        """Frontier views in the order of the tour, then the others, nearest first."""
        views = sorted(frontier_views(search, self.look_range_m, self.min_gain_m2),
                       key=lambda view: (view.way_m, -view.gain_m2))
        if len(views) > 1:
            values = ValueMap.of_search(search, self.likeness, self.look_range_m, Trust())
            chosen = [views[index] for index in outstanding(np.array(
                [values.around(view.pose.x, view.pose.y, NEAR_M) for view in views]))]
            toured = tour(chosen, search)
            views = [*toured, *(view for view in views if view not in toured)]
        return NextViews(tuple(views[:search.views_wanted]), self)


def outstanding(values: NDArray[np.float64]) -> list[int]:
    """The indices of the values that stand out, the largest first, up to the size of a tour.

    There are none if the values hardly differ.
    """
    mean = float(values.mean())
    if mean <= 0.0 or float(values.std()) <= _DEVIATION or float(values.max()) <= _RATIO * mean:
        return []
    least = max(_RATIO, _SHARE * float(values.max()) / mean)
    order: list[int] = np.argsort(-values, kind='stable').tolist()
    return [index for index in order if values[index] / mean >= least][:_TOUR]


def tour(views: Sequence[Viewpoint], search: Search) -> list[Viewpoint]:
    """The views in the order of the shortest way over all of them, with a free end."""
    if len(views) < 2:
        return list(views)
    grid, open_cells = search.grid, np.isfinite(search.way_m)
    cells = [grid.cell_of(view.pose.x, view.pose.y) for view in views]
    ways = [distance_field(open_cells, cell, grid.resolution_m) for cell in cells]

    def length_m(order: tuple[int, ...]) -> float:
        return views[order[0]].way_m + float(sum(ways[one][cells[other]]
                                                 for one, other in pairwise(order)))

    return [views[index] for index in min(permutations(range(len(views))), key=length_m)]
