"""The policy that looks first where the target is likely to be found for the time it takes."""

from dataclasses import dataclass
from itertools import islice

from semantic_nav.explore.here import worth_of_places
from semantic_nav.explore.overlooked import AGAIN, BLIND_M
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.sweeps import GAPS, Sweeps
from semantic_nav.explore.viewpoints import ExploreSettings, Viewpoint, Worth

#: What a view must show, as a share of what closes a gap: it may be the third one of a small room,
#: seen from nearby by eyes of which no other view is worth a way any more.
_LEAST_SHARE = 0.35
#: Speed by which ways are weighed, in m/s: half of a robot's, for who leaves a place half looked
#: at comes back. In simulated homes by 0.4 m/s the ways were a third longer, by 0.1 no shorter.
_WEIGHED_MPS = 0.2


@dataclass(frozen=True)
class LikelyFirst:
    """Weighs what a view would show by the chance that the target lies there yet.

    A look is evidence, not proof (Koopman, 1980): where it did not show the target, the chance
    falls by that with which it would have shown it, so what was seen from afar is worth another
    look from nearby, and nothing is ever struck out. When no view is worth its way any more, gaps
    are closed at which nobody looked; then what was taken for the target is gone for once more.

    Attributes:
        look_range_m: how far a look counts for the gaps.
        min_gain_m2: a view that shows less closes no gap; one that may show what was overlooked
            is worth its way from a third of that on.
    """

    look_range_m: float
    min_gain_m2: float

    def next_views(self, search: Search) -> NextViews:
        """Return the views that find the target soonest, or those that close gaps."""
        views = () if search.only_gaps else self._likely_views(search)
        if views:
            return NextViews(views, self)
        return Sweeps(self.look_range_m, self.min_gain_m2, GAPS).next_views(search)

    def _likely_views(self, search: Search) -> tuple[Viewpoint, ...]:
        # What was rejected is worth another look once all else was looked at, the rest at once:
        # looks from afar tell little, and a stand-off may have had no sight of its target.
        sighted = search.unsettled if search.from_two_places is None else search.sighted
        worth = worth_of_places(search.grid, sighted)
        settings = ExploreSettings(
            range_m=BLIND_M, half_angle_rad=search.half_angle_rad,
            min_gain_m2=self.min_gain_m2 * _LEAST_SHARE, again=AGAIN,
            speed_mps=_WEIGHED_MPS)
        left = [Worth(worth * (one.eyes.share * one.chance), one.eyes.chance)
                for one in search.coverage.overlooked]
        return tuple(islice(search.ranked(left, settings), search.views_wanted))
