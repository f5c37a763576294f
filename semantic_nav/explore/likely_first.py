"""Exploration policy that looks first where the target is likeliest found per time."""

from dataclasses import dataclass
from itertools import islice

from semantic_nav.explore.here import worth_of_places
from semantic_nav.explore.overlooked import AGAIN, BLIND_M
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.sweeps import GAPS, Sweeps
from semantic_nav.explore.viewpoints import ExploreSettings, Viewpoint, Worth

#: Least gain of a view, as a share of that of a gap: it may be the third view of a small room,
#: seen from nearby by eyes for which no other view is worth a way any more.
_LEAST_SHARE = 0.35
#: Speed by which ways are weighed, in m/s: half of a robot's, because a place left half looked at
#: costs a return. In simulated homes the ways were a third longer with 0.4 m/s, and no shorter
#: with 0.1 m/s.
_WEIGHED_MPS = 0.2


@dataclass(frozen=True)
class LikelyFirst:
    """Weighs the cells of a view by the chance that the target is still there.

    A look is evidence, not proof (Koopman, 1980). Where it did not show the target, the chance
    falls by that with which it would have shown it. Cells seen from afar are therefore worth
    another look from nearby, and none is ever struck out. When no view is worth its way any more,
    gaps at which nobody looked are closed; then rejected sightings get one more look.

    Attributes:
        look_range_m: range of a look for the gaps.
        min_gain_m2: least gain of a view that closes a gap; a third of it makes a view worth its
            way that may show a target that was overlooked.
    """

    look_range_m: float
    min_gain_m2: float

    def next_views(self, search: Search) -> NextViews:
        """Views that find the target soonest, or those that close gaps."""
        views = () if search.only_gaps else self._likely_views(search)
        if views:
            return NextViews(views, self)
        return Sweeps(self.look_range_m, self.min_gain_m2, GAPS).next_views(search)

    def _likely_views(self, search: Search) -> tuple[Viewpoint, ...]:
        # Rejected sightings get another look once all else was looked at, unsettled ones at once:
        # looks from afar tell little, and a stand-off may have had no view of its target.
        sighted = search.unsettled if search.from_two_places is None else search.sighted
        worth = worth_of_places(search.grid, sighted)
        settings = ExploreSettings(
            range_m=BLIND_M, half_angle_rad=search.half_angle_rad,
            min_gain_m2=self.min_gain_m2 * _LEAST_SHARE, again=AGAIN,
            speed_mps=_WEIGHED_MPS)
        left = [Worth(worth * (one.eyes.share * one.chance), one.eyes.chance)
                for one in search.coverage.overlooked]
        return tuple(islice(search.ranked(left, settings), search.views_wanted))
