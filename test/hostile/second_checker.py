"""A second, slow and simple checker of what a hypothesis comes to, to judge the first one by.

It is written from docs/architecture.md and the parameters' own descriptions, in plain loops over
cells. It knows the documents and the configuration, and nothing of how the verifier computes.

Whatever lies too near to an edge has no opinion, `None`: samples of a body, the noise of a depth
picture or the rounding of a cell may decide it either way, and nobody is to be asked such a thing.
"""

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from semantic_nav.contracts.geometry import Pose2D

#: True for yes, False for no, None for too near to an edge to tell.
Opinion = bool | None
Corners = tuple[tuple[float, float], ...]
Cell = tuple[int, int]
Point3 = tuple[float, float, float]

#: Lengths that are equal but for rounding, in metres.
_ROUNDING_M = 1e-6
#: How much farther a robot may be than it is far, by ways that are summed up otherwise, in metres.
_WAY_M = 1e-3
#: Within a cell of a grid: a body surely lies in it, or surely does not, in shares of its edge.
_DEEP, _DEEP_MOVING, _SHALLOW = 0.6, 0.9, -0.2
#: Steps of a turn in rad, of a path in metres.
_TURN_STEP_RAD, _PATH_STEP_M = 0.03, 0.02
#: How much nearer a leg brings the robot; how far ahead Nav2 may turn to a goal's heading.
_LEG_M, _TOLERANCE_M = 0.5, 0.25
#: A robot turns to its path first where that leads aside by more, in rad.
_TURN_FIRST_RAD = 0.785
#: Near the target the map may be free again, in metres.
_SLACK_M = 0.2
#: Half of the cone round the line of sight in which a leg leads nearer, in rad.
_SIGHT_RAD = 0.4
#: A target that is so near to the robot's heading is faced, give or take.
_FACING_SLACK_RAD = 0.1
#: No round robot is wider; a path that crosses so much of a cell surely crosses it, in metres.
_WIDE_M, _CROSSED_M = 0.35, 0.06


def every(opinions: Iterable[Opinion]) -> Opinion:
    """Return whether all are yes."""
    unsure = False
    for one in opinions:
        if one is False:
            return False
        unsure = unsure or one is None
    return None if unsure else True


def some(opinions: Iterable[Opinion]) -> Opinion:
    """Return whether any is yes."""
    unsure = False
    for one in opinions:
        if one:
            return True
        unsure = unsure or one is None
    return None if unsure else False


def one_voice(opinions: Iterable[Opinion]) -> Opinion:
    """Return what all of them say; None where they differ."""
    said: list[Opinion] = []
    for one in opinions:
        if one is None or (said and one is not said[0]):
            return None
        said.append(one)
    return said[0] if said else None


def at_most(value: float, limit: float, slack: float = _ROUNDING_M) -> Opinion:
    """Return whether a value is at most a limit."""
    return None if abs(value - limit) <= slack else value < limit


def contrary(opinion: Opinion) -> Opinion:
    """Return the opposite."""
    return None if opinion is None else not opinion


class Cells:
    """A grid of nav_msgs, as a list of rows."""

    def __init__(self, rows: list[list[int]], resolution_m: float, origin: tuple[float, float],
                 ) -> None:
        """Take its cells, the edge of one and the outer corner of the first."""
        self.rows, self.resolution_m, self.origin = rows, resolution_m, origin
        self.height, self.width = len(rows), len(rows[0])

    def cell(self, x: float, y: float) -> Cell:
        """Return the row and column of a point."""
        return (math.floor((y - self.origin[1]) / self.resolution_m),
                math.floor((x - self.origin[0]) / self.resolution_m))

    def centre(self, cell: Cell) -> tuple[float, float]:
        """Return the middle of a cell."""
        return (self.origin[0] + (cell[1] + 0.5) * self.resolution_m,
                self.origin[1] + (cell[0] + 0.5) * self.resolution_m)

    def value(self, cell: Cell) -> int | None:
        """Return what a cell holds; None outside."""
        row, column = cell
        return self.rows[row][column] if (
            0 <= row < self.height and 0 <= column < self.width) else None

    def at(self, x: float, y: float) -> int | None:
        """Return what the cell of a point holds; None outside."""
        return self.value(self.cell(x, y))

    def is_on_edge(self, x: float, y: float) -> bool:
        """Tell whether rounding may put a point into one cell or the next."""
        return any(abs(share - round(share)) < 1e-6 for share in (
            (x - self.origin[0]) / self.resolution_m, (y - self.origin[1]) / self.resolution_m))

    def all_cells(self) -> Iterator[Cell]:
        """Yield every cell."""
        return ((row, column) for row in range(self.height) for column in range(self.width))


def inside(corners: Corners, x: float, y: float) -> bool:
    """Tell whether a polygon holds a point, by how often a ray to the right crosses it."""
    found = False
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (x1 - x0) * (y - y0) / (y1 - y0):
            found = not found
    return found


def away_m(corners: Corners, x: float, y: float) -> float:
    """Return how far a point is from a polygon; 0 within."""
    if inside(corners, x, y):
        return 0.0
    nearest = math.inf
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        squared = (x1 - x0) ** 2 + (y1 - y0) ** 2
        share = min(1.0, max(0.0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / squared))
        nearest = min(nearest, math.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0)))
    return nearest


@dataclass(frozen=True)
class Lens:
    """A level camera on the robot.

    Attributes:
        height_m, before_m: over the floor, and before the robot's middle.
        up, down: tangents of the angles that it sees over and under its axis.
        edge: what of these counts as the edge of the picture.
    """

    height_m: float
    before_m: float
    up: float
    down: float
    edge: float

    def nearest_m(self, height_m: float, *, well: bool = False) -> float:
        """Return from how near a place at a height is in the picture."""
        rise_m = height_m - self.height_m
        tangent = (self.up if rise_m > 0 else self.down) - (self.edge if well else 0.0)
        return max(0.0, self.before_m + abs(rise_m) / tangent)


@dataclass
class Facts:
    """All that the checker is told.

    Attributes:
        config: of the verifier.
        map, costmap: as they were published.
        closed: polygons in which the robot may not be.
        margin_m: how far it keeps away from them.
        footprint: convex outline of the robot, counter-clockwise; None for a round one.
        robot: where it stands.
        lens: of its camera.
    """

    config: Any
    map: Cells
    costmap: Cells
    closed: tuple[Corners, ...]
    margin_m: float
    footprint: Corners | None
    robot: Pose2D
    lens: Lens


class SecondChecker:
    """Says whether the robot may do something, by its own loops."""

    def __init__(self, facts: Facts, *, opened: bool = False) -> None:
        """Take the facts.

        Args:
            facts: what is known.
            opened: ways lead over all floor that the map shows, whatever the costmap says.
        """
        self.facts, self.config, self._opened = facts, facts.config, opened
        self._stands: dict[Cell, Opinion] = {}

    # Closed floor

    def closed_at(self, x: float, y: float, margin_m: float,
                  slack_m: float = _ROUNDING_M) -> Opinion:
        """Return whether a point is on closed floor, or so near to it."""
        nearest_m = min((away_m(one, x, y) for one in self.facts.closed), default=math.inf)
        if margin_m:
            return at_most(nearest_m, margin_m, slack_m)
        border_m = min((self._border_m(one, x, y) for one in self.facts.closed),
                       default=math.inf)
        return None if border_m <= slack_m else nearest_m == 0.0

    @staticmethod
    def _border_m(corners: Corners, x: float, y: float) -> float:
        return min(away_m(((x0, y0), (x1, y1), ((x0 + x1) / 2, (y0 + y1) / 2)), x, y)
                   for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]),
                                                 strict=True))

    def path_is_closed(self, points: list[tuple[float, float]]) -> Opinion:
        """Return whether a path leads onto closed floor; one may leave it, once."""
        steps = list(_stepped(points))
        return some(self._enters(corners, steps) for corners in self.facts.closed)

    def _enters(self, corners: Corners, steps: list[tuple[float, float]]) -> Opinion:
        far = [away_m(corners, x, y) for x, y in steps]
        near = [at_most(one, self.facts.margin_m, _PATH_STEP_M) for one in far]
        if near[0] is False:
            return some(near)
        if near[0] is None:
            return None
        # It stands near or on it. It may go away, but not come back, nor farther onto it.
        on = [None if self._border_m(corners, x, y) <= _PATH_STEP_M else one == 0.0
              for one, (x, y) in zip(far, steps, strict=True)]
        if on[0] is None:
            return None
        comes_back = _again(near, 0.06)
        if on[0]:
            return some((comes_back, _again(on, 0.06)))
        return some((comes_back, some(on)))

    # The floor and the ways over it

    @cached_property
    def closed_cells(self) -> dict[Cell, tuple[bool, bool]]:
        """Cells near to closed floor, and whether they are on it."""
        found: dict[Cell, tuple[bool, bool]] = {}
        if self.facts.closed:
            for cell in self.facts.costmap.all_cells():
                x, y = self.facts.costmap.centre(cell)
                nearest_m = min(away_m(one, x, y) for one in self.facts.closed)
                if nearest_m <= self.facts.margin_m:
                    found[cell] = True, nearest_m == 0.0
        return found

    @cached_property
    def _leaving(self) -> frozenset[Cell]:
        """Closed cells over which a robot that stands on one may leave."""
        here = self.facts.costmap.cell(self.facts.robot.x, self.facts.robot.y)
        closed = self.closed_cells
        if here not in closed:
            return frozenset()
        may = set(closed) if closed[here][1] else {one for one in closed if not closed[one][1]}
        found, todo = {here}, [here]
        while todo:
            for other, _ in _neighbours(todo.pop()):
                if other in may and other not in found:
                    found.add(other)
                    todo.append(other)
        return frozenset(found)

    def drivable(self, cell: Cell) -> bool:
        """Tell whether the middle of the robot may pass a cell."""
        cost = self.facts.costmap.value(cell)
        if cost is None or (cell in self.closed_cells and cell not in self._leaving):
            return False
        return 0 <= cost < 99 or (self._opened and 0 <= (
            self.facts.map.at(*self.facts.costmap.centre(cell)) or 0) < 65)

    @cached_property
    def _if_opened(self) -> 'SecondChecker':
        return SecondChecker(self.facts, opened=True)

    @cached_property
    def starts(self) -> list[Cell]:
        """The cells nearest to the robot from which a way may begin; more than one at a tie."""
        costmap = self.facts.costmap
        row, column = costmap.cell(self.facts.robot.x, self.facts.robot.y)
        reach = round(0.5 / costmap.resolution_m)
        found: dict[int, list[Cell]] = {}
        for down in range(-reach, reach + 1):
            for right in range(-reach, reach + 1):
                squared = down * down + right * right
                if squared <= reach * reach and self.drivable((row + down, column + right)):
                    found.setdefault(squared, []).append((row + down, column + right))
        return found[min(found)] if found else []

    @cached_property
    def ways_m(self) -> dict[Cell, float]:
        """How long the way to each cell is that one leads to."""
        return self._flood(self.starts[0]) if self.starts else {}

    @cached_property
    def start_is_unclear(self) -> bool:
        """Whether it matters which of the nearest cells a way begins at."""
        return any(start not in self.ways_m for start in self.starts) or (
            len(self.starts) > 1 and self.config.way_max_m < 50.0)

    def _flood(self, start: Cell) -> dict[Cell, float]:
        edge_m = self.facts.costmap.resolution_m
        far, todo = {start: 0.0}, [(0.0, start)]
        while todo:
            way_m, cell = heapq.heappop(todo)
            if way_m > far[cell]:
                continue
            for other, length in _neighbours(cell):
                if not self.drivable(other):
                    continue
                longer_m = way_m + length * edge_m
                if longer_m < far.get(other, math.inf) - 1e-12:
                    far[other] = longer_m
                    heapq.heappush(todo, (longer_m, other))
        return far

    # Poses

    def may_stand(self, x: float, y: float, yaws: tuple[float, ...]) -> Opinion:
        """Return whether the robot may be sent to a point, at each of some headings."""
        if not (abs(x) < 1e6 and abs(y) < 1e6):
            return False
        facts = self.facts
        if facts.map.is_on_edge(x, y) or facts.costmap.is_on_edge(x, y):
            return None
        value, cost = facts.map.at(x, y), facts.costmap.at(x, y)
        if value is None or cost is None or value < 0 or cost < 0 or value >= 65 or (
                cost > self.config.clear_cost):
            return False
        closed = self.closed_at(x, y, facts.margin_m)
        if closed:
            return False
        cell = facts.costmap.cell(x, y)
        if self.start_is_unclear:
            return None
        if cell not in self.ways_m or cell in self.closed_cells:
            return False
        return every((contrary(closed), at_most(self.ways_m[cell], self.config.way_max_m, _WAY_M),
                      *(self.body_fits(Pose2D(x, y, yaw)) for yaw in yaws)))

    def body_fits(self, pose: Pose2D) -> Opinion:
        """Return whether no part of the body lies over anything at a pose."""
        return every(contrary(self._covers(pose, cell, grid, _DEEP))
                     for grid in (self.facts.costmap, self.facts.map)
                     for cell in self._bad_cells(grid, pose))

    def body_passes(self, poses: Iterable[Pose2D]) -> Opinion:
        """Return whether the body comes over nothing but what is under it now."""
        return every(
            contrary(every((self._covers(pose, cell, grid, _DEEP_MOVING),
                            contrary(self._covers(self.facts.robot, cell, grid, _DEEP)))))
            for pose in poses for grid in (self.facts.costmap, self.facts.map)
            for cell in self._bad_cells(grid, pose))

    def _bad_cells(self, grid: Cells, pose: Pose2D) -> Iterator[Cell]:
        """Yield the cells about a pose that hold something, or of which nothing is known."""
        if self.facts.footprint is None:
            return
        least = 65 if grid is self.facts.map else 100
        reach_m = max(math.hypot(x, y) for x, y in self.facts.footprint) + grid.resolution_m
        (bottom, left), (top, right) = (grid.cell(pose.x - reach_m, pose.y - reach_m),
                                        grid.cell(pose.x + reach_m, pose.y + reach_m))
        for row in range(bottom, top + 1):
            for column in range(left, right + 1):
                value = grid.value((row, column))
                if value is None or value < 0 or value >= least:
                    yield row, column

    def _covers(self, pose: Pose2D, cell: Cell, grid: Cells, deep: float) -> Opinion:
        """Return whether the body at a pose lies over some of a cell."""
        assert self.facts.footprint is not None
        x, y = grid.centre(cell)
        cos, sin, edge_m = math.cos(pose.yaw), math.sin(pose.yaw), grid.resolution_m
        east, north = x - pose.x, y - pose.y
        most = _depth_m(self.facts.footprint, cos * east + sin * north, cos * north - sin * east)
        # No point of the cell lies deeper by more than half of its diagonal.
        if most >= deep * edge_m or most + 0.75 * edge_m <= _SHALLOW * edge_m:
            return most > 0.0
        for down in range(-2, 3):
            for right in range(-2, 3):
                east, north = (x + right * edge_m / 4 - pose.x, y + down * edge_m / 4 - pose.y)
                most = max(most, _depth_m(self.facts.footprint, cos * east + sin * north,
                                          cos * north - sin * east))
        if most >= deep * edge_m:
            return True
        return False if most <= _SHALLOW * edge_m else None

    def may_turn(self, pose: Pose2D, turn_rad: float) -> Opinion:
        """Return whether the robot may turn on the spot."""
        if not math.isfinite(turn_rad):
            return False
        turn_rad = math.remainder(turn_rad, math.tau)
        closed = self.closed_at(pose.x, pose.y, 0.0)
        if self.facts.footprint is None:
            return contrary(closed)
        if abs(abs(turn_rad) - math.pi) < 1e-3:
            return None
        count = max(1, math.ceil(abs(turn_rad) / _TURN_STEP_RAD))
        return every((contrary(closed), self.body_passes(
            Pose2D(pose.x, pose.y, pose.yaw + turn_rad * step / count)
            for step in range(count + 1))))

    def may_follow(self, points: list[tuple[float, float]], goal: Pose2D) -> Opinion:
        """Return whether a path to a goal may be driven; of a body, a straight one only."""
        if not points:
            return False
        ends = at_most(math.dist(points[-1], (goal.x, goal.y)), self.config.path_end_m, 0.01)
        closed = contrary(self.path_is_closed(points))
        short = at_most(sum(map(math.dist, points, points[1:])), self.config.way_max_m, 0.01)
        if False in (ends, closed, short):
            return False
        if self.facts.footprint is None:
            return every((ends, closed, short, self._round_passes(list(_stepped(points)))))
        (x0, y0), (x1, y1) = points[0], points[-1]
        if math.dist(points[0], points[-1]) < 0.3:
            return None
        heading, robot = math.atan2(y1 - y0, x1 - x0), self.facts.robot
        out_rad = math.remainder(heading - robot.yaw, math.tau)
        turns_first = at_most(_TURN_FIRST_RAD, abs(out_rad), 0.02)
        near = next((point for point in points
                     if math.dist(point, (goal.x, goal.y)) <= _TOLERANCE_M), points[-1])
        in_rad = math.remainder(goal.yaw - heading, math.tau)
        if abs(abs(in_rad) - math.pi) < 0.02 or abs(abs(out_rad) - math.pi) < 0.02 or (
                turns_first is None):
            return None
        follows = every((
            ends, closed, short,
            self._body_turns(robot, out_rad) if turns_first else True,
            self.body_passes(Pose2D(x, y, heading) for x, y in _stepped(points))))
        if follows is not True:
            return follows
        # Where it could turn round at the goal, it must be able to where Nav2 may leave it.
        roomy = self._body_turns(Pose2D(goal.x, goal.y, heading), math.tau)
        return None if roomy is None else every(
            self._body_turns(Pose2D(x, y, heading), math.tau if roomy else in_rad)
            for x, y in (near, (goal.x, goal.y)))

    def _round_passes(self, steps: list[tuple[float, float]]) -> Opinion:
        """Return whether a round robot comes over nothing, and over no unknown floor."""
        grids = ((self.facts.costmap, 99), (self.facts.map, 65))
        touched = [any((grid.at(x, y) or 0) >= least for grid, least in grids)
                   for x, y in steps]
        unknown = [any((-1 if (value := grid.at(x, y)) is None else value) < 0
                       for grid, _ in grids) for x, y in steps]
        robot = (self.facts.robot.x, self.facts.robot.y)
        if any((one or other) and math.dist(step, robot) <= _WIDE_M
               for one, other, step in zip(touched, unknown, steps, strict=True)):
            # It may be what the robot is on now.
            return None
        if max(_longest(touched), _longest(unknown)) * _PATH_STEP_M >= _CROSSED_M:
            return False
        if any(touched) or any(unknown):
            return None
        # How wide it is only its costmap says.
        return None if any(self._is_near_unknown(grid, x, y)
                           for x, y in steps for grid, _ in grids) else True

    @staticmethod
    def _is_near_unknown(grid: Cells, x: float, y: float) -> bool:
        (bottom, left), (top, right) = (grid.cell(x - _WIDE_M, y - _WIDE_M),
                                        grid.cell(x + _WIDE_M, y + _WIDE_M))
        return any((grid.value((row, column)) or 0) < 0 or grid.value((row, column)) is None
                   for row in range(bottom, top + 1) for column in range(left, right + 1))

    def _body_turns(self, pose: Pose2D, turn_rad: float) -> Opinion:
        count = max(1, math.ceil(abs(turn_rad) / _TURN_STEP_RAD))
        return self.body_passes(Pose2D(pose.x, pose.y, pose.yaw + turn_rad * step / count)
                                for step in range(count + 1))

    # Acts, for a goal of which nothing was tried yet

    @cached_property
    def may_plan(self) -> Opinion:
        """Whether a way may begin where the robot is."""
        return bool(self.starts)

    def rotate(self, turn_rad: float) -> Opinion:
        """Return whether it may turn."""
        return every((self.may_plan, self.may_turn(self.facts.robot, turn_rad)
                      if self.starts else False))

    def goto(self, pose: Pose2D | None) -> Opinion:
        """Return whether it may go to a remembered place, or to a clear cell near it."""
        if pose is None or not self.starts:
            return False
        costmap, edge_m = self.facts.costmap, self.facts.costmap.resolution_m
        there = self.may_stand(pose.x, pose.y, (pose.yaw,))
        if there is not False:
            return there
        if costmap.is_on_edge(pose.x, pose.y):
            return None
        if None in (costmap.at(pose.x, pose.y), self.facts.map.at(pose.x, pose.y)):
            return False
        cell = costmap.cell(pose.x, pose.y)
        if self._is_too_far(pose):
            return False
        reach = math.floor(self.config.node_shift_m / edge_m)
        return some(self.may_stand(*costmap.centre((cell[0] + down, cell[1] + right)),
                                   (pose.yaw,))
                    for down in range(-reach, reach + 1) for right in range(-reach, reach + 1)
                    if math.hypot(down, right) <= reach)

    def _is_too_far(self, pose: Pose2D) -> bool:
        """Tell whether only the length of the way speaks against a pose."""
        way_m = self.ways_m.get(self.facts.costmap.cell(pose.x, pose.y), 0.0)
        cost, value = (grid.at(pose.x, pose.y) for grid in (self.facts.costmap, self.facts.map))
        return (way_m > self.config.way_max_m and cost is not None and value is not None
                and 0 <= cost <= self.config.clear_cost and 0 <= value < 65
                and self.closed_at(pose.x, pose.y, self.facts.margin_m) is False)

    def approach(self, target: Point3, size_m: float | None, *, slack_m: float,
                 provisional: tuple[bool, ...], may_stay: bool = True) -> Opinion:
        """Return whether the robot may set out to something that it sees from where it is.

        Args:
            target: where that is in the map.
            size_m: how large, about; None where nobody asks.
            slack_m: how far off that may be.
            provisional: whether its place may be taken for unsure.
            may_stay: it may look at it from where it is, where no pose is better.
        """
        if not self.starts:
            return False
        outside_m = at_most(self._beyond_m(target), self.config.leg_stand_off_m, slack_m)
        if outside_m is not True:
            return outside_m
        found = one_voice(self._approach(target, size_m, slack_m, unsure, may_stay)
                          for unsure in provisional)
        if found is False and not self._opened and self._if_opened.approach(
                target, size_m, slack_m=slack_m, provisional=provisional,
                may_stay=may_stay) is not False:
            # The robot may go and see whether what the costmap alone holds is still there.
            return None
        return found

    def _approach(self, target: Point3, size_m: float | None, slack_m: float, unsure: bool,
                  may_stay: bool) -> Opinion:
        config, robot, lens = self.config, self.facts.robot, self.facts.lens
        x, y, height_m = target
        distance_m, turn_rad = robot.distance_to(x, y), robot.bearing_to(x, y)
        if unsure:
            far = at_most(config.leg_stand_off_m, distance_m, slack_m)
            faces = at_most(abs(turn_rad), config.facing_rad,
                            _FACING_SLACK_RAD + slack_m / max(distance_m, 0.1))
            if far is None:
                return None
            if far:
                reach_m = min(config.leg_stand_off_m,
                              distance_m - max(_LEG_M, config.goal_reached_m))
                leg = self._ring(target, self._near_m(height_m, reach_m),
                                 max(reach_m, config.stand_off_last_m), slack_m, walls=True)
                if leg is not False:
                    return leg
            elif faces is None:
                # Some turn, or what follows.
                return None
            elif not faces:
                return self._turns_to(turn_rad, slack_m / max(distance_m, 0.1))
        if size_m is not None and not (unsure and distance_m > config.leg_stand_off_m):
            near_m = [min(lens.nearest_m(height_m + part * size_m * share + shift)
                          for part in (-0.5, 0.0, 0.5))
                      for share in (0.7, 1.4) for shift in (-slack_m, slack_m)]
            shown = one_voice(at_most(one, config.stand_off_last_m) for one in near_m)
            if shown is not True:
                return shown
        near_m = self._near_m(height_m, config.stand_off_far_m)
        ring = self._ring(target, near_m, config.stand_off_last_m, slack_m, walls=True)
        if ring is not False:
            return ring
        stays = at_most(distance_m, config.stand_off_last_m, slack_m) if may_stay else False
        if stays is None:
            return None
        if stays:
            return self._turns_to(turn_rad, slack_m / max(distance_m, 0.1))
        return self._ring(target, config.stand_off_last_m,
                          distance_m - max(_LEG_M, config.goal_reached_m), slack_m,
                          walls=False, cone=True)

    def _turns_to(self, turn_rad: float, slack_rad: float) -> Opinion:
        robot = self.facts.robot
        if self.facts.footprint is None:
            return self.may_turn(robot, turn_rad)
        return one_voice(self.may_turn(robot, turn_rad + off)
                         for off in (-slack_rad, 0.0, slack_rad))

    def _near_m(self, height_m: float, far_m: float) -> float:
        """Return from where on the target is in the picture, within what can be wished."""
        config, lens = self.config, self.facts.lens
        well_m, just_m = lens.nearest_m(height_m, well=True), lens.nearest_m(height_m)
        return max(config.stand_off_near_m,
                   min(well_m, max(just_m, far_m - 0.1),
                       max(far_m, config.stand_off_last_m) - 0.1))

    def _beyond_m(self, target: Point3) -> float:
        grid = self.facts.map
        (x0, y0), edge_m = grid.origin, grid.resolution_m
        return math.hypot(max(x0 - target[0], 0.0, target[0] - x0 - grid.width * edge_m),
                          max(y0 - target[1], 0.0, target[1] - y0 - grid.height * edge_m))

    def _ring(self, target: Point3, near_m: float, far_m: float, slack_m: float, *, walls: bool,
              cone: bool = False) -> Opinion:
        """Return whether the robot may stand anywhere between two distances from a target."""
        if far_m + slack_m < near_m - slack_m:
            return False
        return some(self._of_ring(target, near_m, far_m, slack_m, walls, cone))

    def _of_ring(self, target: Point3, near_m: float, far_m: float, slack_m: float, walls: bool,
                 cone: bool) -> Iterator[Opinion]:
        costmap, robot = self.facts.costmap, self.facts.robot
        (row0, column0), (row1, column1) = (
            costmap.cell(target[0] - far_m - slack_m, target[1] - far_m - slack_m),
            costmap.cell(target[0] + far_m + slack_m, target[1] + far_m + slack_m))
        sight = math.atan2(robot.y - target[1], robot.x - target[0])
        for row in range(max(0, row0), min(costmap.height, row1 + 1)):
            for column in range(max(0, column0), min(costmap.width, column1 + 1)):
                x, y = costmap.centre((row, column))
                away = math.hypot(x - target[0], y - target[1])
                if not near_m - slack_m <= away <= far_m + slack_m:
                    continue
                in_ring = True if near_m + slack_m <= away <= far_m - slack_m else None
                if cone:
                    aside = abs(math.remainder(
                        math.atan2(y - target[1], x - target[0]) - sight, math.tau))
                    spread = 2 * slack_m / max(0.1, away)
                    if aside > _SIGHT_RAD + spread:
                        continue
                    in_ring = in_ring if aside < _SIGHT_RAD - spread else None
                stands = self._stands_facing((row, column), target, slack_m / max(away, 0.1))
                if stands is False:
                    continue
                yield every((in_ring, stands, self._sees((x, y), target, slack_m)
                             if walls else True))

    def _stands_facing(self, cell: Cell, target: Point3, off_rad: float) -> Opinion:
        x, y = self.facts.costmap.centre(cell)
        if self.facts.footprint is None:
            if cell not in self._stands:
                self._stands[cell] = self.may_stand(x, y, ())
            return self._stands[cell]
        yaw = math.atan2(target[1] - y, target[0] - x)
        yaws = (yaw - off_rad, yaw, yaw + off_rad)
        opinion = self.may_stand(x, y, ())
        return opinion if not opinion else one_voice(self.body_fits(Pose2D(x, y, one))
                                                     for one in yaws)

    def _sees(self, start: tuple[float, float], target: Point3, slack_m: float) -> Opinion:
        """Return whether no wall stands between: occupied, and then free again."""
        offs = ((0.0, 0.0), (slack_m, 0.0), (-slack_m, 0.0), (0.0, slack_m), (0.0, -slack_m))
        return one_voice(self._sees_past(start, (target[0] + dx, target[1] + dy), step)
                         for dx, dy in offs for step in (0.5, 0.2))

    def _sees_past(self, start: tuple[float, float], end: tuple[float, float],
                   step: float) -> bool:
        grid, length_m = self.facts.map, math.dist(start, end)
        count = max(1, math.ceil(length_m / grid.resolution_m / step))
        last = math.floor(count * (1.0 - _SLACK_M / max(length_m, _SLACK_M)))
        x, y = ((start[axis] - grid.origin[axis]) / grid.resolution_m for axis in (0, 1))
        dx, dy = ((end[axis] - start[axis]) / grid.resolution_m / count for axis in (0, 1))
        met = False
        for index in range(last + 1):
            row, column = math.floor(y + dy * index), math.floor(x + dx * index)
            if 0 <= row < grid.height and 0 <= column < grid.width and (
                    grid.rows[row][column] >= 65):
                met = True
            elif met:
                return False
        return True

    def explore(self, half_angle_rad: float) -> Opinion:
        """Return whether there is anything left to look at after one look from here."""
        if not self.starts:
            return False
        if self.start_is_unclear or self.closed_at(
                self.facts.robot.x, self.facts.robot.y, self.facts.margin_m, 0.1) is not False:
            return None
        stands = [cell for cell in self.ways_m
                  if self.may_stand(*self.facts.costmap.centre(cell), ()) is True]
        if not stands:
            # A turn on the spot may show enough.
            return None
        unseen = sum(self._is_unseen(cell, half_angle_rad) for cell in self.ways_m)
        area_m2 = self.facts.costmap.resolution_m**2
        plenty = unseen * area_m2 >= 4.0 and len(stands) * area_m2 >= 2.0
        if plenty and self.facts.footprint is not None:
            plenty = sum(self._is_roomy(cell) for cell in stands) * area_m2 >= 1.0 and (
                self.body_passes(Pose2D(self.facts.robot.x, self.facts.robot.y, 0.1 * step)
                                 for step in range(63)) is True)
        return True if plenty else None

    def _is_roomy(self, cell: Cell) -> bool:
        x, y = self.facts.costmap.centre(cell)
        pose = Pose2D(x, y, 0.0)
        reach_m = max(math.hypot(*one) for one in self.facts.footprint or ())
        grid = self.facts.costmap
        return all(math.dist(grid.centre(one), (x, y)) > reach_m + grid.resolution_m
                   for one in self._bad_cells(grid, pose))

    def _is_unseen(self, cell: Cell, half_angle_rad: float) -> bool:
        x, y = self.facts.costmap.centre(cell)
        robot = self.facts.robot
        return self.facts.map.at(x, y) == 0 and (
            robot.distance_to(x, y) > self.config.look_range_m + 0.3
            or abs(robot.bearing_to(x, y)) > half_angle_rad + 0.1)


def _neighbours(cell: Cell) -> Iterator[tuple[Cell, float]]:
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if down or right:
                yield (cell[0] + down, cell[1] + right), math.hypot(down, right)


def _depth_m(convex: Corners, x: float, y: float) -> float:
    """Return how deep a point lies in a convex polygon, below 0 outside."""
    return min([a * x + b * y + c for a, b, c in _edges(convex)])


@lru_cache
def _edges(convex: Corners) -> tuple[tuple[float, float, float], ...]:
    """Return a, b and c of each edge: a point is a x + b y + c metres inside of it."""
    found = []
    for (x0, y0), (x1, y1) in zip(convex, (*convex[1:], convex[0]), strict=True):
        length = math.hypot(x1 - x0, y1 - y0)
        a, b = (y0 - y1) / length, (x1 - x0) / length
        found.append((a, b, -a * x0 - b * y0))
    return tuple(found)


def _longest(those: list[bool]) -> int:
    """Return how many in a row are so at most."""
    longest = row = 0
    for one in those:
        row = row + 1 if one else 0
        longest = max(longest, row)
    return longest


def _stepped(points: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield points along a path, close together."""
    yield points[0]
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        count = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0) / _PATH_STEP_M))
        for step in range(1, count + 1):
            yield x0 + (x1 - x0) * step / count, y0 + (y1 - y0) * step / count


def _again(met: list[Opinion], slack_m: float) -> Opinion:
    """Return whether something is met again after it was left."""
    run = max(1, math.ceil(slack_m / _PATH_STEP_M))
    left, unsure, gap, back = False, False, 0, 0
    for one in met:
        if one is False:
            gap, back = gap + 1, 0
            left = left or gap > run
        else:
            unsure = unsure or (one is None and (left or gap > 0)) or 0 < gap <= run
            back = back + 1 if one and left else 0
            if back > run:
                return True
            gap = 0
    return None if unsure or back else False

