"""What the verifier knows of the robot's surroundings: pose, map, costmap, ways."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import FREE, INSCRIBED, OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.explore.coverage import Coverage, SeenSurfaces
from semantic_nav.explore.distance_field import distance_field, nearest_open
from semantic_nav.verify.config import VerifierConfig

#: A look from so near counts as one from nearby, as a share of the range that counts at all.
NEARBY = 0.65
#: How far the robot's own cell may lie from the nearest cell that it could drive on, in metres.
_START_SHIFT_M = 0.5


@dataclass(frozen=True)
class Doubt:
    """Why something is refused.

    Attributes:
        goal: where it would have led, in the map frame, where that is known.
    """

    code: Code
    reason: str
    goal: Pose2D | None = None


@dataclass(frozen=True, eq=False)
class Ways:
    """Distances by road from the robot.

    Attributes:
        way_m: metres, shape as the costmap's, infinite where no way leads.
        start: the cell they are counted from.
    """

    way_m: NDArray[np.float32]
    start: tuple[int, int]


class World:
    """The newest pose, map and costmap, and what follows from them.

    Attributes:
        coverage: what was looked at for the current goal.
        coverage_nearby: what of it was looked at from nearby.
    """

    def __init__(self, config: VerifierConfig) -> None:
        """Know nothing yet."""
        self._config = config
        self.pose: Pose2D | None = None
        self.map_T_odom: Transform | None = None
        self.pose_stamp_ns = 0
        self.pose_reason = 'no transform yet'
        self.map: OccupancyGrid | None = None
        self.costmap: OccupancyGrid | None = None
        self.coverage: Coverage | None = None
        self.coverage_nearby: Coverage | None = None
        self._ways: Ways | None = None

    def take_map(self, grid: OccupancyGrid) -> None:
        """Use a new map."""
        self.map = grid
        for coverage in (self.coverage, self.coverage_nearby):
            if coverage is not None:
                coverage.fit(grid)
        if self.coverage is None:
            self.forget_looks()

    def take_costmap(self, grid: OccupancyGrid) -> None:
        """Use a new costmap."""
        if self.costmap is None or not np.array_equal(self.costmap.cells, grid.cells):
            self._ways = None
        self.costmap = grid

    def forget_looks(self) -> None:
        """Begin a new goal: nothing was looked at."""
        if self.map is not None:
            self.coverage, self.coverage_nearby = Coverage(self.map), Coverage(self.map)

    def mark(self, seen: SeenSurfaces) -> None:
        """Take note of what a look showed."""
        if self.coverage is not None and self.coverage_nearby is not None:
            self.coverage.mark(seen)
            self.coverage_nearby.mark(seen.within(NEARBY * seen.range_m))

    def doubt(self, now: Now) -> Doubt | None:
        """Return what of pose, map and costmap is missing or too old to decide on."""
        config = self._config
        doubt = self.doubt_pose(now)
        if doubt is not None:
            return doubt
        if self.map is None:
            return Doubt(Code.MAP_UNAVAILABLE, 'no map has come')
        age_s = seconds(now.clock_ns - self.map.stamp_ns)
        if config.map_is_live and not -config.pose_max_age_s <= age_s <= config.map_max_age_s:
            return Doubt(Code.MAP_UNAVAILABLE, f'the map is {age_s:.1f} s old')
        if self.costmap is None:
            return Doubt(Code.MAP_UNAVAILABLE, 'no global costmap has come')
        age_s = seconds(now.clock_ns - self.costmap.stamp_ns)
        if not -config.costmap_max_age_s <= age_s <= config.costmap_max_age_s:
            return Doubt(Code.MAP_UNAVAILABLE, f'the global costmap is {age_s:.1f} s old')
        if self.ways() is None:
            return Doubt(Code.COLLISION_DETECTED, 'the robot stands where no clear cell is near')
        return None

    def doubt_pose(self, now: Now) -> Doubt | None:
        """Return why nobody knows where the robot is now."""
        if self.pose is None:
            return Doubt(Code.POSE_UNAVAILABLE, f'the pose is unknown: {self.pose_reason}')
        age_s, most_s = seconds(now.clock_ns - self.pose_stamp_ns), self._config.pose_max_age_s
        if not -most_s <= age_s <= most_s:
            return Doubt(Code.POSE_UNAVAILABLE, f'the pose is {age_s:.1f} s old')
        return None

    def traversable(self) -> NDArray[np.bool_]:
        """Return the cells of the costmap on which the robot touches nothing known."""
        assert self.costmap is not None
        cells = self.costmap.cells
        return (cells >= FREE) & (cells < INSCRIBED)

    def ways(self) -> Ways | None:
        """Return the distance field from the robot; kept while costmap and cell stay."""
        if self.costmap is None or self.pose is None:
            return None
        here = self.costmap.cell_of(self.pose.x, self.pose.y)
        if self._ways is not None and self._ways.start == here:
            return self._ways
        radius = round(_START_SHIFT_M / self.costmap.resolution_m)
        traversable = self.traversable()
        start = nearest_open(traversable, here, radius)
        if start is None:
            return None
        self._ways = Ways(distance_field(traversable, start, self.costmap.resolution_m), here)
        return self._ways

    def way_to(self, x: float, y: float) -> float:
        """Return the length of the way to a point; infinite where none leads."""
        ways = self.ways()
        assert ways is not None and self.costmap is not None
        row, column = self.costmap.cell_of(x, y)
        return float(ways.way_m[row, column]) if self.costmap.contains(row, column) else np.inf

    def doubt_at(self, x: float, y: float) -> Doubt | None:
        """Return why the robot must not stand at a point."""
        assert self.map is not None and self.costmap is not None
        config = self._config
        place, goal = f'({x:.2f}, {y:.2f})', Pose2D(x, y, 0.0)
        cost = self.costmap.value_at(x, y)
        occupancy = self.map.value_at(x, y)
        if cost is None or occupancy is None:
            return Doubt(Code.OUT_OF_MAP, f'{place} lies outside the map', goal)
        if occupancy == UNKNOWN or cost == UNKNOWN:
            return Doubt(Code.UNKNOWN_SPACE, f'{place} lies in unknown space', goal)
        if occupancy >= OCCUPIED or cost > config.clear_cost:
            return Doubt(Code.COLLISION_DETECTED,
                         f'at {place} the robot would touch something (cost {cost})', goal)
        way_m = self.way_to(x, y)
        if not np.isfinite(way_m):
            return Doubt(Code.UNREACHABLE, f'no way leads to {place}', goal)
        if way_m > config.way_max_m:
            return Doubt(Code.TOO_FAR, f'the way to {place} is {way_m:.0f} m long', goal)
        return None

    def way_on_map(self) -> NDArray[np.float32]:
        """Return the distance field laid over the map, shape as the map's."""
        ways = self.ways()
        assert ways is not None and self.map is not None and self.costmap is not None
        if self.map.same_frame(self.costmap):
            return ways.way_m
        height, width = self.map.shape
        columns = self._costmap_indices(width, self.map.origin_x_m, self.costmap.origin_x_m)
        rows = self._costmap_indices(height, self.map.origin_y_m, self.costmap.origin_y_m)
        inside = ((rows >= 0) & (rows < self.costmap.shape[0]))[:, None] & (
            (columns >= 0) & (columns < self.costmap.shape[1]))
        taken = ways.way_m[np.ix_(rows.clip(0, self.costmap.shape[0] - 1),
                                  columns.clip(0, self.costmap.shape[1] - 1))]
        return np.where(inside, taken, np.float32(np.inf))

    def _costmap_indices(self, count: int, map_origin_m: float,
                         costmap_origin_m: float) -> NDArray[np.int64]:
        assert self.map is not None and self.costmap is not None
        centres = map_origin_m + (np.arange(count) + 0.5) * self.map.resolution_m
        cells: NDArray[np.int64] = np.floor(
            (centres - costmap_origin_m) / self.costmap.resolution_m).astype(np.int64)
        return cells

    def looked_share(self) -> float:
        """Return the share of the reachable floor that was looked at."""
        return self.coverage.share_of(self.reachable_floor()) if self.coverage else 0.0

    def reachable_floor(self) -> NDArray[np.bool_]:
        """Return the cells of the map that a way leads to."""
        assert self.map is not None
        return (np.isfinite(self.way_on_map()) & (self.map.cells >= FREE)
                & (self.map.cells < OCCUPIED))
