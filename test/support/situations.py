"""Situations of the verifier, made by hand."""

from dataclasses import dataclass, field, replace
from typing import Any

from builders import Clock, Room

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.verify.checks.attempts import Attempts
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.floor.localisation import Localisation
from semantic_nav.verify.floor.surroundings import Surroundings
from semantic_nav.verify.planning.exploring import new_exploration
from semantic_nav.verify.tracking.findings import Findings

ROBOT = Pose2D(2.0, 3.0, 0.0)


class Known:
    """A robot in a room, of which everything is known at the beginning."""

    def __init__(self, room: Room | None = None, robot: Pose2D | None = ROBOT,
                 **config: Any) -> None:
        self.clock = Clock()
        self.room = room if room is not None else Room()
        self.config = VerifierConfig(**config)
        self.robot = robot
        self.surroundings = Surroundings()
        self.refresh()

    def refresh(self, *, pose: bool = True, costmap: bool = True, map_: bool = True) -> None:
        """Measure again, now."""
        stamp = self.clock.now.clock_ns
        if pose:
            self.stand(self.robot)
        if map_:
            self.take_map(self.room.map(stamp))
        if costmap:
            self.take_costmap(self.room.costmap(stamp))

    def stand(self, robot: Pose2D | None) -> None:
        self.robot = robot
        self.surroundings = replace(self.surroundings, robot=Localisation(
            robot, None, self.clock.now.clock_ns))

    def take_map(self, grid: OccupancyGrid | None) -> None:
        self.surroundings = replace(self.surroundings, map=grid)

    def take_costmap(self, grid: OccupancyGrid) -> None:
        self.surroundings = self.surroundings.with_costmap(grid)

    @property
    def situation(self) -> Situation:
        return Situation(self.clock.now, self.config, 'goal-s-1', self.surroundings, Findings(),
                         Attempts(), None, frozenset(), new_exploration(self.config), {})


@dataclass(frozen=True)
class ListeningPolicy:
    """An exploration policy that keeps what it was asked, and knows no view."""

    searches: list[Search] = field(default_factory=list)

    def next_views(self, search: Search) -> NextViews:
        self.searches.append(search)
        return NextViews((), self)
