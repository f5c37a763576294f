"""The policy that goes to the nearest border of the unknown (Yamauchi, 1997)."""

from dataclasses import dataclass

import numpy as np

from semantic_nav.contracts.grid import UNKNOWN
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.viewpoints import ExploreSettings, Worth


@dataclass(frozen=True)
class NearestFrontier:
    """Goes to the nearest edge of the map and looks there; a baseline for other policies.

    Attributes:
        look_range_m: range of a look.
        min_gain_m2: least unknown area of a view.
    """

    look_range_m: float
    min_gain_m2: float

    def next_views(self, search: Search) -> NextViews:
        """Views of unknown area, nearest first; none if no view shows any."""
        settings = ExploreSettings(
            range_m=self.look_range_m, half_angle_rad=search.half_angle_rad,
            min_gain_m2=self.min_gain_m2)
        unknown = np.where(search.grid.cells == UNKNOWN, 1.0, 0.0)
        nearest = sorted(search.ranked([Worth(unknown)], settings),
                         key=lambda view: (view.way_m, -view.gain_m2))
        return NextViews(tuple(nearest[:search.views_wanted]), self)
