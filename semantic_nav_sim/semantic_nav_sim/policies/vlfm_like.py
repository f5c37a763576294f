"""The policy that goes to the frontier with the best value, as VLFM does; to compare with."""

from dataclasses import dataclass, field, replace

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.viewpoints import Viewpoint
from semantic_nav_sim.policies.frontiers import NEAR_M, frontier_views
from semantic_nav_sim.policies.value_map import Likeness, Trust, ValueMap

TRUST = Trust(least=0.25, weak=0.35)
#: The frontier gone to last is kept unless another one is worth more by this.
KEEP = 0.01


@dataclass(frozen=True)
class VlfmLike:
    """Goes to the frontier around which most has to do with the goal.

    VLFM (Yokoyama et al., ICRA 2024); see docs/search.md for what differs.

    Attributes:
        look_range_m: how far a look counts.
        min_gain_m2: what a frontier must show to be one.
        likeness: of the goal and what looks showed, in words.
        last: the view gone to last.
    """

    look_range_m: float
    min_gain_m2: float
    likeness: Likeness = field(compare=False, repr=False)
    last: Pose2D | None = field(default=None, compare=False)

    def next_views(self, search: Search) -> NextViews:
        """Return views over frontiers, the best value first; none where there is no frontier."""
        views = frontier_views(search, self.look_range_m, self.min_gain_m2)
        if not views:
            return NextViews((), self)
        values = ValueMap.of_search(search, self.likeness, self.look_range_m, TRUST)

        def value(view: Viewpoint) -> float:
            return values.around(view.pose.x, view.pose.y, NEAR_M)

        views.sort(key=lambda view: -value(view))
        kept = self._kept(views)
        if kept is not None and value(kept) >= value(views[0]) - KEEP:
            views = [kept, *(view for view in views if view is not kept)]
        return NextViews(tuple(views[:search.views_wanted]), replace(self, last=views[0].pose))

    def _kept(self, views: list[Viewpoint]) -> Viewpoint | None:
        """Return the view over the frontier that was gone to last, where it is one yet."""
        last = self.last
        if last is None:
            return None
        nearest = min(views, key=lambda view: last.distance_to(view.pose.x, view.pose.y))
        return nearest if last.distance_to(nearest.pose.x, nearest.pose.y) <= NEAR_M else None
