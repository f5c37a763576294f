"""Cost of a look for the search on a large map: update of the belief, and the next view."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import median, quantiles

import numpy as np

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.here import p_here
from semantic_nav.explore.overlooked import BLIND_M
from semantic_nav.explore.policy import Search
from semantic_nav.explore.sight import visible_cells
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav.show.table import Measure, at_most
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.floor.surroundings import Surroundings
from semantic_nav.verify.planning.exploring import new_exploration
from semantic_nav_sim.bench.verifying import inflated, known_of, point, rooms, took_ms

_CONFIG = VerifierConfig()
#: Half the camera's horizontal field of view, in radians.
_HALF_ANGLE_RAD = 0.6
#: Distance that the robot drives between two looks, in metres.
_STEP_M = 1.0
#: Number of looks for each planning of the next view.
_FEWER = 10


@dataclass
class Searcher:
    """A search that has not found its target yet.

    Attributes:
        known: surroundings in a large home.
        coverage: floor that was looked at.
    """

    known: Surroundings
    coverage: GoalCoverage

    @classmethod
    def in_home(cls, grid: OccupancyGrid, costmap: OccupancyGrid, robot: Pose2D) -> 'Searcher':
        """A search at its beginning."""
        return cls(known_of(grid, costmap, robot), GoalCoverage.none(grid))

    def take_in(self, seen: SeenSurfaces) -> tuple[float, float]:
        """Take in a look without the target; returns P(here) and the share of floor looked at."""
        self.coverage = self.coverage.after(seen, _CONFIG.look_range_m)
        floor = self.known.reachable_floor()
        return (p_here(self.coverage, floor, (), _CONFIG.absent_prior),
                self.coverage.in_range.share_of(floor))

    def next_views(self) -> int:
        """Number of views that the product's policy returns."""
        grid, robot = self.known.map, self.known.robot.pose
        assert grid is not None and robot is not None
        search = Search(grid, self.known.distances_on_map(), self.coverage, robot, (),
                        _HALF_ANGLE_RAD, None, lambda _: True, 1)
        return len(new_exploration(_CONFIG).policy.next_views(search).views)


def measure(rounds: int, seed: int) -> list[Measure]:
    """Measure both.

    Args:
        rounds: number of looks; after every tenth the next view is planned.
        seed: of the map and the robot's way.
    """
    rng = np.random.default_rng(seed)
    grid = rooms(rng)
    costmap = inflated(grid)
    robot = point(costmap, rng)
    searcher = Searcher.in_home(grid, costmap, robot)
    # The first verdict on a map computes its reachable floor.
    searcher.known.reachable_floor()
    looks, asked = [], []
    for number, seen in enumerate(islice(_looks(grid, costmap, rng), rounds)):
        looks.append(took_ms(lambda seen=seen: searcher.take_in(seen)))
        if number % _FEWER == 0:
            asked.append(took_ms(searcher.next_views))
    return [at_most('what a look tells of where the target is, 1000 x 1000 cells, p99 [ms]',
                    quantiles(looks, n=100)[98], 20.0),
            Measure('the same, median [ms]', median(looks)),
            Measure('where to look next, median [ms]', median(asked))]


def _looks(grid: OccupancyGrid, costmap: OccupancyGrid,
           rng: np.random.Generator) -> Iterator[SeenSurfaces]:
    """Yield the looks on straight ways through the home; a new way starts at each wall."""
    while True:
        at = point(costmap, rng)
        while grid.contains(*(cell := grid.cell_of(at.x, at.y))) and grid.free[cell]:
            rows, columns = np.nonzero(
                visible_cells(grid, (at.x, at.y), at.yaw, _HALF_ANGLE_RAD, BLIND_M))
            yield SeenSurfaces(at.x, at.y, at.yaw, _HALF_ANGLE_RAD, BLIND_M,
                               np.stack(grid.centres_of(rows, columns), axis=1))
            at = Pose2D(at.x + _STEP_M * math.cos(at.yaw), at.y + _STEP_M * math.sin(at.yaw),
                        at.yaw)
