"""A comparison policy after VLFM, which goes to the frontier with the best value."""

from dataclasses import dataclass, field, replace

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.viewpoints import Viewpoint
from semantic_nav_sim.policies.frontiers import NEAR_M, frontier_views
from semantic_nav_sim.policies.value_map import Likeness, Trust, ValueMap

TRUST = Trust(least=0.25, weak=0.35)
#: Gain in value for which another frontier replaces the last one.
KEEP = 0.01


@dataclass(frozen=True)
class VlfmLike:
    """Goes to the frontier whose surroundings are most similar to the goal.

    VLFM (Yokoyama et al., ICRA 2024); see docs/search.md for what differs.

    Attributes:
        look_range_m: range of a look.
        min_gain_m2: least floor that a frontier must show.
        likeness: similarity of the goal and the looks, in words.
        last: pose of the last view.
    """

    look_range_m: float
    min_gain_m2: float
    likeness: Likeness = field(compare=False, repr=False)
    last: Pose2D | None = field(default=None, compare=False)

    def next_views(self, search: Search) -> NextViews:
        """Frontier views, the best value first; none without a frontier."""
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
        """The view of the last frontier, if it still is one."""
        last = self.last
        if last is None:
            return None
        nearest = min(views, key=lambda view: last.distance_to(view.pose.x, view.pose.y))
        return nearest if last.distance_to(nearest.pose.x, nearest.pose.y) <= NEAR_M else None
