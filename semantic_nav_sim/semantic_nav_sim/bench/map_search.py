"""An exhaustive search of a saved map for an absent target, with the product's own view planner.

The robot is always at its goal pose and sees what the map says: no noise, no model, no doors.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.here import p_here
from semantic_nav.explore.overlooked import BLIND_M
from semantic_nav.explore.policy import Search
from semantic_nav.explore.sight import Eye, seen_from_two_places, visible_cells
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav.explore.viewpoints import ExploreSettings, Viewpoint
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.floor.surroundings import Localisation, Surroundings
from semantic_nav.verify.planning.exploring import new_exploration
from semantic_nav_sim.bench.robot_configs import configs_for
from semantic_nav_sim.navigator.config import NavigatorConfig
from semantic_nav_sim.navigator.costmap import OCCUPANCY_OF_COST
from semantic_nav_sim.robot.shape import Shape

_NOW = Now(10**9, 10**9, 10**9)
_USUAL = ExploreSettings()


@dataclass
class Searched:
    """The result of a search.

    Attributes:
        points: x and y of the viewpoints, in the map frame, the start first.
        way_m, time_s: length of the way, and time for driving, turning and looking.
        planning_s: total time of planning, on this machine.
        p_here: P(here) after all looks, 0..1.
        unlooked_m2: reachable floor that was not looked at.
        floor_m2: reachable floor.
    """

    points: list[tuple[float, float]] = field(default_factory=list)
    way_m: float = 0.0
    time_s: float = 0.0
    planning_s: float = 0.0
    p_here: float = 1.0
    unlooked_m2: float = 0.0
    floor_m2: float = 0.0

    @property
    def looked_share(self) -> float:
        """The share of the reachable floor that was looked at."""
        return 1.0 - self.unlooked_m2 / self.floor_m2 if self.floor_m2 else 0.0


class MapSearch:
    """A search in progress."""

    def __init__(self, grid: OccupancyGrid, start: tuple[float, float], shape: Shape) -> None:
        """Begin a search.

        Args:
            grid: the map.
            start: x and y of the robot, in the map frame.
            shape: of the robot's base.
        """
        self.done = Searched()
        configs = configs_for(shape)
        self._verifier: VerifierConfig = configs['verifier']
        self._belief: BeliefConfig = configs['belief']
        self._grid = grid
        self._robot = Pose2D(*start, 0.0)
        self._known = Surroundings(map=grid).with_costmap(costmap_of(grid, shape))
        self._coverage = GoalCoverage.none(grid)
        self._exploration = new_exploration(self._verifier)
        self._eyes: list[Eye] = []

    def looks(self, clock: Callable[[], float] = time.perf_counter) -> Iterator[Searched]:
        """Look, plan the next view and go there until no view is left; yields after each look.

        Args:
            clock: a time in seconds, to time the planning.
        """
        second = False
        while True:
            self._look()
            yield self.done
            began_s = clock()
            view = self._next_view(second=second)
            if view is None and not second and self._is_likely:
                second = True
                view = self._next_view(second=True)
            self.done.planning_s += clock() - began_s
            if view is None:
                return
            self._go(view)

    @property
    def _is_likely(self) -> bool:
        return self.done.p_here > self._belief.not_here_below

    @property
    def _now(self) -> Surroundings:
        return replace(self._known, robot=Localisation(
            self._robot, stamp_ns=_NOW.clock_ns, missing=''))

    def _look(self) -> None:
        robot, done = self._robot, self.done
        rows, columns = np.nonzero(visible_cells(
            self._grid, (robot.x, robot.y), robot.yaw, _USUAL.half_angle_rad, BLIND_M))
        seen = SeenSurfaces(robot.x, robot.y, robot.yaw, _USUAL.half_angle_rad, BLIND_M,
                            np.stack(self._grid.centres_of(rows, columns), axis=1))
        self._coverage = self._coverage.after(seen, self._verifier.look_range_m)
        self._eyes.append(Eye(robot, _USUAL.half_angle_rad))
        floor = self._now.reachable_floor()
        done.points.append((robot.x, robot.y))
        done.time_s += _USUAL.look_s
        done.p_here = float(p_here(self._coverage, floor, (), self._verifier.absent_prior))
        done.floor_m2 = float(np.count_nonzero(floor)) * self._grid.resolution_m ** 2
        done.unlooked_m2 = float(self._coverage.in_range.unlooked_m2(floor))

    def _next_view(self, *, second: bool) -> Viewpoint | None:
        looked_from = tuple(eye.pose for eye in self._eyes)
        search = Search(
            self._grid, self._now.distances_on_map(), self._coverage, self._robot, looked_from,
            _USUAL.half_angle_rad, None, self._may_stand, 1, looked_from=looked_from,
            only_gaps=not self._is_likely,
            from_two_places=seen_from_two_places(
                self._grid, self._eyes, self._verifier.look_range_m) if second else None)
        answer = self._exploration.policy.next_views(search)
        self._exploration = replace(self._exploration, policy=answer.policy)
        return answer.views[0] if answer.views else None

    def _may_stand(self, pose: Pose2D) -> bool:
        assert self._known.costmap is not None
        cost = self._known.costmap.value_at(pose.x, pose.y)
        return cost is not None and 0 <= cost <= self._verifier.clear_cost

    def _go(self, view: Viewpoint) -> None:
        robot, done = self._robot, self.done
        towards = view.pose.yaw if view.is_turn(robot) else (
            robot.yaw + robot.bearing_to(view.pose.x, view.pose.y))
        turn_rad = abs(wrap_angle(towards - robot.yaw)) + abs(wrap_angle(view.pose.yaw - towards))
        done.way_m += view.way_m
        done.time_s += view.way_m / _USUAL.speed_mps + turn_rad / _USUAL.turn_rate_radps
        self._robot = view.pose


def costmap_of(grid: OccupancyGrid, shape: Shape) -> OccupancyGrid:
    """The costmap of a map for a robot, as the stand-in for Nav2 makes it."""
    told = {'robot_radius': shape.nav2_radius_m, 'footprint': shape.footprint}
    costmap = replace(NavigatorConfig(), **told).costmap(grid)
    return replace(grid, cells=OCCUPANCY_OF_COST[costmap.cost])


def minutes(seconds: float) -> str:
    """Format a duration in seconds or minutes."""
    return f'{seconds:.0f} s' if seconds < 90 else f'{math.ceil(seconds / 60):d} min'
