"""A bound for every search: one that knows the home and sees everything in its line of sight.

It knows the floor plan, the furniture, and how likely a thing of the kind lies on each piece, but
not where the target lies. It is no robot: its way is computed on the true map, without noise and
without a model.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.distance_field import lengths_from, nearest_open
from semantic_nav.explore.viewpoints import ExploreSettings
from semantic_nav_sim.bench.likely_places import LikelyPlaces
from semantic_nav_sim.bench.true_sight import TrueSight
from semantic_nav_sim.robot.base import BaseLimits

#: Number of greedily best views of which all orders are tried.
_FEW = 4
#: Smallest chance that is worth a way.
_LEAST_CHANCE = 1e-3
_SPACING_M, _HEADINGS = 0.5, 12
#: Distance between two looks while driving.
_LOOK_EACH_M = 0.25

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """A viewpoint, and a mask of the likely places that it shows, shape (n,)."""

    pose: Pose2D
    shown: NDArray[np.bool_]


@dataclass
class Walk:
    """The progress of the search.

    Attributes:
        pose: current, in the map frame.
        left: chances of the places not seen yet, shape (n,).
        points: of the way, in the map frame, the start first.
        way_m, time_s: so far.
    """

    pose: Pose2D
    left: Floats
    points: list[tuple[float, float]] = field(default_factory=list)
    way_m: float = 0.0
    time_s: float = 0.0

    def turn(self, yaw: float, limits: BaseLimits) -> None:
        """Turn on the spot."""
        self.time_s += abs(wrap_angle(yaw - self.pose.yaw)) / limits.turn_rad_s
        self.pose = Pose2D(self.pose.x, self.pose.y, yaw)


class InformedSearch:
    """A search that visits views in the order that finds the target soonest."""

    def __init__(self, grid: OccupancyGrid, open_cells: NDArray[np.bool_], places: LikelyPlaces,
                 sight: TrueSight, limits: BaseLimits | None = None,
                 look_s: float = ExploreSettings.look_s) -> None:
        """Compute the views.

        Args:
            grid: the true floor plan.
            open_cells: mask of the cells where the robot's centre can be, shape as the map's.
            places: likely places of the target.
            sight: visibility on the true map.
            limits: of the robot's speed.
            look_s: duration of a look.
        """
        self._grid, self._open, self._places, self._sight = grid, open_cells, places, sight
        self._limits, self._look_s = limits or BaseLimits(), look_s
        self._views = list(self._all_views())

    def run(self, start: Pose2D, targets: Floats) -> tuple[Walk, bool]:
        """Search until one of the targets is in sight, or no view is left.

        Args:
            start: of the robot.
            targets: points of the map, shape (n, 2); used only to notice that one is in sight.

        Returns:
            The walk up to there, and whether a target is in sight at its end.
        """
        walk = Walk(start, self._places.chances.copy(), [(start.x, start.y)])
        walk.time_s += self._look_s
        while not self._sees(walk, targets):
            view = self._next(walk)
            if view is None:
                return walk, False
            if self._drive(walk, view, targets):
                break
            # It stands at the view's pose to within half a cell.
            walk.left[view.shown] = 0.0
            walk.time_s += self._look_s
        return walk, True

    def _all_views(self) -> Iterator[View]:
        step = round(_SPACING_M / self._grid.resolution_m)
        lattice = np.zeros_like(self._open)
        lattice[::step, ::step] = self._open[::step, ::step]
        points = self._places.points
        for row, column in np.argwhere(lattice).tolist():
            x, y = self._grid.centre_of(row, column)
            near = self._sight.all_round(x, y, points)
            for turn in range(_HEADINGS if near.any() else 0):
                pose = Pose2D(x, y, wrap_angle(turn * math.tau / _HEADINGS))
                shown = near.copy()
                shown[near] = self._sight.ahead(pose, points[near])
                if shown.any():
                    yield View(pose, shown)

    def _sees(self, walk: Walk, targets: Floats) -> bool:
        """Look at a pose. Places that are seen without the target need no further look."""
        walk.left[self._sight.seen(walk.pose, self._places.points)] = 0.0
        return bool(self._sight.seen(walk.pose, targets).any())

    def _next(self, walk: Walk) -> View | None:
        """The next view: the first of the best order of a few greedily chosen views."""
        few: list[View] = []
        left, here = walk.left.copy(), self._ways_from(walk.pose)
        seconds = np.array([self._seconds(walk.pose, view.pose, here) for view in self._views])
        shown = np.array([view.shown for view in self._views])
        while len(few) < _FEW:
            chances = shown @ left
            best = int(np.argmax(chances / seconds)) if len(chances) else 0
            if not len(chances) or chances[best] < _LEAST_CHANCE or not (
                    math.isfinite(seconds[best])):
                break
            few.append(self._views[best])
            left[few[-1].shown] = 0.0
        ways = [self._ways_from(view.pose) for view in few]

        def mean_s(order: Sequence[int]) -> float:
            """Mean time until the target is found; what is left at the end counts in full."""
            pose, way, left, time_s, mean = walk.pose, here, walk.left.copy(), 0.0, 0.0
            for index in order:
                view = few[index]
                time_s += self._seconds(pose, view.pose, way)
                mean += time_s * float(left[view.shown].sum())
                left[view.shown] = 0.0
                pose, way = view.pose, ways[index]
            return mean + time_s * float(left.sum())

        order = min(permutations(range(len(few))), key=mean_s)
        return few[order[0]] if few else None

    def _seconds(self, start: Pose2D, end: Pose2D, ways_m: Floats) -> float:
        """Time to drive to a pose, turn and look, in s."""
        way_m = float(ways_m[self._grid.cell_of(end.x, end.y)])
        turn_rad = abs(wrap_angle(end.yaw - start.yaw)) if way_m < _LOOK_EACH_M else (
            abs(start.bearing_to(end.x, end.y)) + abs(wrap_angle(
                end.yaw - start.yaw - start.bearing_to(end.x, end.y))))
        return (way_m / self._limits.speed_m_s + turn_rad / self._limits.turn_rad_s
                + self._look_s)

    def _ways_from(self, pose: Pose2D) -> Floats:
        lengths, _ = lengths_from(self._open, self._cell(pose))
        return lengths * self._grid.resolution_m

    def _cell(self, pose: Pose2D) -> tuple[int, int]:
        cell = self._grid.cell_of(pose.x, pose.y)
        return nearest_open(self._open, cell, 10) or cell

    def _drive(self, walk: Walk, view: View, targets: Floats) -> bool:
        """Drive to a view and turn; returns whether a target came in sight."""
        grid, goal = self._grid, self._grid.cell_of(view.pose.x, view.pose.y)
        lengths, before = lengths_from(self._open, self._cell(walk.pose))
        cells = [goal]
        while (index := int(before[cells[-1]])) >= 0:
            cells.append((index // grid.shape[1], index % grid.shape[1]))
        cells.reverse()
        each = round(_LOOK_EACH_M / grid.resolution_m)
        driven_m = 0.0
        for cell in [*cells[each:-1:each], *cells[-1:]]:
            x, y = grid.centre_of(*cell)
            if math.dist((x, y), (walk.pose.x, walk.pose.y)) < grid.resolution_m / 2:
                continue
            yaw = math.atan2(y - walk.pose.y, x - walk.pose.x)
            if not driven_m:
                walk.turn(yaw, self._limits)
            step_m = float(lengths[cell]) * grid.resolution_m - driven_m
            driven_m += step_m
            walk.way_m += step_m
            walk.time_s += step_m / self._limits.speed_m_s
            walk.pose = Pose2D(x, y, yaw)
            walk.points.append((x, y))
            if self._sees(walk, targets):
                return True
        walk.turn(view.pose.yaw, self._limits)
        return self._sees(walk, targets)

