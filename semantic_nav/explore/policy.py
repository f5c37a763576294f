"""Interface of an exploration policy, which chooses the next views for a goal."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.overlooked import Place
from semantic_nav.explore.sight import Eye
from semantic_nav.explore.viewpoints import (
    ExploreSettings,
    Viewpoint,
    Worth,
    rank_viewpoints,
)


@dataclass(frozen=True, eq=False)
class Search:
    """State of the search for a goal.

    Attributes:
        grid: the map.
        way_m: length of the way from the robot to each cell of the map in m, infinite where none
            leads.
        coverage: coverage by the looks so far.
        robot: its pose in the map frame.
        done: viewpoints to leave out, for good or for some time.
        looked_from: those of them from which a look was taken.
        half_angle_rad: half of the camera's horizontal field of view.
        bearing_hint_rad: preferred direction relative to the robot's heading; None for none.
        may_stand: tells whether the robot may stand in a pose of the map frame.
        views_wanted: largest number of views to name.
        from_two_places: cells that were looked at from two places, in the shape of the map; None
            where one look is enough.
        goal: the goal in words.
        eyes: viewpoints of the model's looks with what it said there, earliest first.
        only_gaps: cells that may have been overlooked are not worth a view.
        sighted: x and y of sightings that were not confirmed, in the map frame.
        unsettled: those of them that looks have not rejected, or only from afar.
    """

    grid: OccupancyGrid
    way_m: NDArray[np.float32]
    coverage: GoalCoverage
    robot: Pose2D
    done: Sequence[Pose2D]
    half_angle_rad: float
    bearing_hint_rad: float | None
    may_stand: Callable[[Pose2D], bool]
    views_wanted: int
    looked_from: Sequence[Pose2D] = ()
    from_two_places: NDArray[np.bool_] | None = None
    goal: str = ''
    eyes: Sequence[Eye] = ()
    only_gaps: bool = False
    sighted: Sequence[Place] = ()
    unsettled: Sequence[Place] = ()

    def ranked(self, worths: Sequence[Worth],
               settings: ExploreSettings) -> Iterator[Viewpoint]:
        """Yield the viewpoints where the robot may stand, best first.

        Args:
            worths: of the cells of the map; their sum counts.
            settings: see `ExploreSettings`.
        """
        ranked = rank_viewpoints(self.grid, self.way_m, worths, self.robot, self.done, settings,
                                 self.bearing_hint_rad, self.looked_from)
        return (view for view in ranked
                if view.is_turn(self.robot) or self.may_stand(view.pose))


@dataclass(frozen=True)
class NextViews:
    """The answer of a policy.

    Attributes:
        views: the best of what is left to look at, best first; none when the search is over.
        policy: policy to ask next; it knows what this one has found out.
    """

    views: tuple[Viewpoint, ...]
    policy: 'ExplorationPolicy'


class ExplorationPolicy(Protocol):
    """Chooses the next views. A policy is a value: asking it changes nothing."""

    def next_views(self, search: Search) -> NextViews:
        """The next views, and the policy that goes on from there."""
