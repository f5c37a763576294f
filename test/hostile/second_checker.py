"""A second, slow and simple checker of where the robot may be, to judge the first one by.

It is written from docs/interfaces.md and the parameters' own descriptions, in plain loops over
cells. It knows the documents and the configuration, and nothing of how the verifier computes.

Whatever lies too near to an edge has no opinion, `None`. These edges are thin and stated here: a
cell of which the body covers a part, but neither its middle nor what its samples must meet; a path
or a turn that comes so near to one, or to closed floor, as its steps are long; what rounding
decides.
"""

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from opinions import ROUNDING_M, Opinion, at_most, contrary, every, one_voice, some
from shapes import Cell, Cells, Closed, Corners, border_m, inside, through_m

from semantic_nav.contracts.geometry import Pose2D

#: How much farther a robot may be than it is far, by ways that are summed up otherwise, in metres.
_WAY_M = 1e-3
#: Steps of a turn in rad, of a path in metres.
_TURN_STEP_RAD, _PATH_STEP_M = 0.03, 0.02
#: The body is looked at in points along its outline, and on its way from pose to pose, so far
#: apart at most, as shares of a cell's edge.
_OUTLINE, _MOVED = 0.4, 0.5
#: Between two steps a corner of the body comes no nearer to a cell by more, in metres.
_BETWEEN_M = 0.01
#: How far ahead of a goal Nav2 may turn to its heading.
_TOLERANCE_M = 0.25
#: A robot turns to its path first where that leads aside by more, in rad.
_TURN_FIRST_RAD = 0.785
#: So near to what the map holds the middle of the robot cannot come: its costmaps say as much.
_PASSES_M = 0.2
#: What a round robot is on now lies no farther off; a path that crosses so much of a cell surely
#: crosses it, in metres.
_WIDE_M, _CROSSED_M = 0.45, 0.06
#: A path may lead so far over cells in which the robot just touches something, and so deep.
_BESIDE_M, _CUT_M = 1.0, 0.05
#: What is met again after so much of a path that does not meet it, in metres.
_GAP_M = 0.06

_Seen = tuple[Cells, Cell]


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
        closed: floor on which the robot may not be.
        margin_m: how far it keeps away from that.
        footprint: outline of the robot; None for a round one.
        robot: where it stands.
        lens: of its camera.
    """

    config: Any
    map: Cells
    costmap: Cells
    closed: tuple[Closed, ...]
    margin_m: float
    footprint: Corners | None
    robot: Pose2D
    lens: Lens


class SecondChecker:
    """Says where the robot may stand, turn and drive, by its own loops."""

    def __init__(self, facts: Facts, *, opened: bool = False) -> None:
        """Take the facts.

        Args:
            facts: what is known.
            opened: ways lead over all floor that the map shows, whatever the costmap says.
        """
        self.facts, self.config, self._opened = facts, facts.config, opened

    # Closed floor

    def closed_at(self, x: float, y: float, margin_m: float) -> Opinion:
        """Return whether a point is on closed floor, or so near to it."""
        return some(one.holds(x, y, margin_m) for one in self.facts.closed)

    def path_is_closed(self, points: list[tuple[float, float]]) -> Opinion:
        """Return whether a path leads onto closed floor; one may leave it, once."""
        steps = list(_stepped(points))
        return some(self._enters(closed, steps) for closed in self.facts.closed)

    def _enters(self, closed: Closed, steps: list[tuple[float, float]]) -> Opinion:
        near = [closed.holds(x, y, self.facts.margin_m, closed.slack_m) for x, y in steps]
        if near[0] is False:
            return some(near)
        if near[0] is None:
            return None
        # It stands near or on it. It may go away, but not come back, nor farther onto it.
        on = [closed.holds(x, y, 0.0, closed.slack_m) for x, y in steps]
        if on[0] is None:
            return None
        if on[0]:
            return some((_again(near), _again(on)))
        return some((_again(near), some(on)))

    # The floor and the ways over it

    @cached_property
    def closed_cells(self) -> dict[Cell, bool]:
        """Cells near to closed floor, and whether they are on it."""
        found: dict[Cell, bool] = {}
        if self.facts.closed:
            for cell in self.facts.costmap.all_cells():
                x, y = self.facts.costmap.centre(cell)
                if self.closed_at(x, y, self.facts.margin_m) is not False:
                    found[cell] = self.closed_at(x, y, 0.0) is not False
        return found

    @cached_property
    def _leaving(self) -> frozenset[Cell]:
        """Closed cells over which a robot that stands on one may leave."""
        here = self.facts.costmap.cell(self.facts.robot.x, self.facts.robot.y)
        closed = self.closed_cells
        if here not in closed:
            return frozenset()
        may = set(closed) if closed[here] else {one for one in closed if not closed[one]}
        return connected(here, lambda cell: cell in may)

    def drivable(self, cell: Cell) -> bool:
        """Tell whether the middle of the robot may pass a cell."""
        cost = self.facts.costmap.value(cell)
        if cost is None or (cell in self.closed_cells and cell not in self._leaving):
            return False
        return 0 <= cost < 99 or (self._opened and self._has_room_on_map(cell))

    def _has_room_on_map(self, cell: Cell) -> bool:
        """Tell whether the map shows free floor there, and nothing nearer than a robot needs."""
        grid = self.facts.map
        row, column = grid.cell(*self.facts.costmap.centre(cell))
        reach = math.floor(_PASSES_M / grid.resolution_m + ROUNDING_M)
        value = grid.value((row, column))
        return value is not None and 0 <= value < 65 and (
            all((grid.value((row + down, column + right)) or 0) < 65
                for down in range(-reach, reach + 1) for right in range(-reach, reach + 1)
                if math.hypot(down, right) * grid.resolution_m <= _PASSES_M + ROUNDING_M))

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
    def ways_m(self) -> list[dict[Cell, float]]:
        """How long the way to each cell is that one leads to, from each of the starts."""
        floods: list[dict[Cell, float]] = []
        for start in self.starts:
            # Where the length does not matter, those that hang together lead to the same.
            if self.config.way_max_m < 50.0 or all(start not in one for one in floods):
                floods.append(self._flood(start))
        return floods

    def way_leads_to(self, cell: Cell, most_m: float) -> Opinion:
        """Return whether a way no longer than that leads to a cell."""
        if cell in self.closed_cells:
            # So near to its edge that nobody can tell, it may be open.
            return contrary(self.closed_at(*self.facts.costmap.centre(cell), self.facts.margin_m))
        return one_voice(at_most(one.get(cell, math.inf), most_m, _WAY_M) for one in self.ways_m)

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
        if facts.map.is_off(x, y) or facts.costmap.is_off(x, y):
            return False
        if facts.map.is_on_edge(x, y) or facts.costmap.is_on_edge(x, y):
            return None
        value, cost = facts.map.at(x, y), facts.costmap.at(x, y)
        if value is None or cost is None or value < 0 or cost < 0 or value >= 65 or (
                cost > self.config.clear_cost):
            return False
        closed = self.closed_at(x, y, facts.margin_m)
        if closed:
            return False
        leads = self.way_leads_to(facts.costmap.cell(x, y), self.config.way_max_m)
        return leads if leads is False else every((contrary(closed), leads, *(
            self.body_fits(Pose2D(x, y, yaw)) for yaw in yaws)))

    def body_fits(self, pose: Pose2D) -> Opinion:
        """Return whether no part of the body lies over anything at a pose."""
        return every(contrary(one) for _, one in self._covered(pose, 0.0))

    def body_passes(self, poses: list[Pose2D]) -> Opinion:
        """Return whether the body comes over nothing but what is under it now.

        Between the poses that are looked at it moves by half a cell: what it comes over for
        longer, or at the first or last of them, is met.
        """
        assert self.facts.footprint is not None
        met: dict[_Seen, float] = {}
        unsure, moved_m = False, 0.0
        reach_m = max(math.hypot(x, y) for x, y in self.facts.footprint)
        for index, pose in enumerate(poses):
            before = poses[max(0, index - 1)]
            moved_m += before.distance_to(pose.x, pose.y) + reach_m * abs(
                math.remainder(pose.yaw - before.yaw, math.tau))
            since, met = met, {}
            for (grid, cell), covered in self._covered(pose, _BETWEEN_M):
                under = self._under_now.get((grid, cell), False)
                if under:
                    continue
                unsure = True
                if under is None or not covered:
                    continue
                met[grid, cell] = since.get((grid, cell), moved_m)
                edge_m = grid.resolution_m
                if index in (0, len(poses) - 1) or (
                        moved_m - met[grid, cell] >= _MOVED * edge_m + ROUNDING_M) or (
                            self._covers_middle(pose, *grid.centre(cell))):
                    return False
        return None if unsure else True

    @cached_property
    def _under_now(self) -> 'dict[_Seen, Opinion]':
        return dict(self._covered(self.facts.robot, 0.0))

    def _covers_middle(self, pose: Pose2D, x: float, y: float) -> bool:
        body = self._placed(pose)
        return inside(body, x, y) and border_m(body, x, y) > ROUNDING_M

    def _placed(self, pose: Pose2D) -> Corners:
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        return tuple((pose.x + cos * x - sin * y, pose.y + sin * x + cos * y)
                     for x, y in self.facts.footprint or ())

    def _covered(self, pose: Pose2D, between_m: float) -> 'Iterator[tuple[_Seen, Opinion]]':
        """Yield what the body may lie over: cells that hold something, or that nobody knows.

        It does so where it covers the middle of one, or its outline leads through enough of it;
        it does not where it has no part of it.
        """
        if self.facts.footprint is None:
            return
        body = self._placed(pose)
        reach_m = max(math.hypot(x, y) for x, y in self.facts.footprint)
        for grid, least in ((self.facts.costmap, 100), (self.facts.map, 65)):
            half_m = grid.resolution_m / 2
            (bottom, left), (top, right) = (grid.cell(pose.x - reach_m, pose.y - reach_m),
                                            grid.cell(pose.x + reach_m, pose.y + reach_m))
            for row in range(bottom - 1, top + 2):
                for column in range(left - 1, right + 2):
                    value = grid.value((row, column))
                    if value is not None and 0 <= value < least:
                        continue
                    x, y = grid.centre((row, column))
                    if self._covers_middle(pose, x, y) or (
                            through_m(body, x, y, half_m - ROUNDING_M)
                            > _OUTLINE * grid.resolution_m):
                        yield (grid, (row, column)), True
                    elif through_m(body, x, y, half_m + between_m + ROUNDING_M) >= 0.0:
                        yield (grid, (row, column)), None

    def may_turn(self, pose: Pose2D, turn_rad: float) -> Opinion:
        """Return whether the robot may turn on the spot."""
        if not math.isfinite(turn_rad):
            return False
        turn_rad = math.remainder(turn_rad, math.tau)
        closed = contrary(self.closed_at(pose.x, pose.y, 0.0))
        if self.facts.footprint is None or closed is False:
            return closed
        if abs(abs(turn_rad) - math.pi) < 1e-3:
            return None
        return every((closed, self.body_turns(pose, turn_rad)))

    def body_turns(self, pose: Pose2D, turn_rad: float) -> Opinion:
        """Return whether its body comes over nothing in a turn."""
        count = max(1, math.ceil(abs(turn_rad) / _TURN_STEP_RAD))
        return self.body_passes([Pose2D(pose.x, pose.y, pose.yaw + turn_rad * step / count)
                                 for step in range(count + 1)])

    def may_follow(self, points: list[tuple[float, float]], goal: Pose2D) -> Opinion:
        """Return whether a path to a goal may be driven; of a body, a straight one only."""
        if not points:
            return False
        robot = self.facts.robot
        beside_m = math.dist(points[0], (robot.x, robot.y))
        begins = at_most(beside_m, self.config.path_end_m, 0.01)
        if beside_m > self.facts.costmap.resolution_m:
            points = [(robot.x, robot.y), *points]
        ends = every((begins, at_most(
            math.dist(points[-1], (goal.x, goal.y)), self.config.path_end_m, 0.01)))
        closed = contrary(self.path_is_closed(points))
        short = at_most(sum(map(math.dist, points, points[1:])), self.config.way_max_m, 0.01)
        if False in (ends, closed, short):
            return False
        if self.facts.footprint is None:
            return every((ends, closed, short, self._round_passes(list(_stepped(points)))))
        (x0, y0), (x1, y1) = points[0], points[-1]
        if math.dist(points[0], points[-1]) < 0.3:
            return None
        heading = math.atan2(y1 - y0, x1 - x0)
        out_rad = math.remainder(heading - robot.yaw, math.tau)
        turns_first = at_most(_TURN_FIRST_RAD, abs(out_rad), 0.02)
        in_rad = math.remainder(goal.yaw - heading, math.tau)
        if abs(abs(in_rad) - math.pi) < 0.02 or abs(abs(out_rad) - math.pi) < 0.02 or (
                turns_first is None):
            return None
        follows = every((
            ends, closed, short,
            self.body_turns(robot, out_rad) if turns_first else True,
            self.body_passes([Pose2D(x, y, heading) for x, y in _stepped(points)])))
        if follows is not True:
            return follows
        return one_voice(
            self._turns_at_end(points, goal, heading, math.tau if roomy else in_rad)
            for roomy in self._is_roomy_at(goal))

    def _round_passes(self, steps: list[tuple[float, float]]) -> Opinion:
        """Return whether a round robot comes over nothing, and over no unknown floor."""
        costmap, grids = self.facts.costmap, (self.facts.costmap, self.facts.map)
        touched = [(costmap.at(x, y) or 0) == 100 or (self.facts.map.at(x, y) or 0) >= 65
                   or self._is_deep(costmap.cell(x, y)) for x, y in steps]
        unknown = [any((-1 if (value := grid.at(x, y)) is None else value) < 0
                       for grid in grids) for x, y in steps]
        robot = (self.facts.robot.x, self.facts.robot.y)
        if any((one or other) and math.dist(step, robot) <= _WIDE_M
               for one, other, step in zip(touched, unknown, steps, strict=True)):
            # It may be what the robot is on now.
            return None
        if max(_longest_m(touched, steps), _longest_m(unknown, steps)) >= _CROSSED_M:
            return False
        beside = [costmap.at(x, y) == 99 for x, y in steps]
        far_m = _longest_m(beside, steps)
        # It may have to get away from beside something first.
        away_m = 2 * (max(self.config.robot_radius, _PASSES_M) + 2 * costmap.resolution_m)
        surely = [one and math.dist(step, robot) > away_m
                  for one, step in zip(beside, steps, strict=True)]
        if _longest_m(surely, steps) >= _BESIDE_M + _CROSSED_M:
            return False
        if any(touched) or any(unknown) or far_m > _BESIDE_M - _CROSSED_M or (
                any(beside) and costmap.resolution_m > _CUT_M):
            return None
        return every(self._keeps_off_unknown(grid, x, y) for grid in grids for x, y in steps
                     ) if self.config.robot_radius else True

    def _is_deep(self, cell: Cell) -> bool:
        """Tell whether the robot touches something there, and at all cells around."""
        cost = self.facts.costmap.value
        return cost(cell) == 99 and not any(
            0 <= value < 99 for down in (-1, 0, 1) for right in (-1, 0, 1)
            if (value := cost((cell[0] + down, cell[1] + right))) is not None)

    def _keeps_off_unknown(self, grid: Cells, x: float, y: float) -> Opinion:
        """Return whether all floor about a point is known, as far as a round robot reaches."""
        radius_m, edge_m, robot = self.config.robot_radius, grid.resolution_m, self.facts.robot
        row, column = grid.cell(x, y)
        reach = math.ceil(radius_m / edge_m) + 1
        opinions: list[Opinion] = []
        for down in range(-reach, reach + 1):
            for right in range(-reach, reach + 1):
                value = grid.value((row + down, column + right))
                if value is None or value < 0:
                    place = grid.centre((row + down, column + right))
                    # Both may lie anywhere in their cells; what is under the robot now it leaves.
                    far = at_most(radius_m, math.dist(place, (x, y)), edge_m)
                    if math.dist(place, (robot.x, robot.y)) <= radius_m + 2 * edge_m:
                        far = None if far is False else far
                    opinions.append(far)
        return every(opinions)

    def _turns_at_end(self, points: list[tuple[float, float]], goal: Pose2D, heading: float,
                      turn_rad: float) -> Opinion:
        near = next((point for point in points
                     if math.dist(point, (goal.x, goal.y)) <= _TOLERANCE_M), points[-1])
        return every(self.body_turns(Pose2D(x, y, heading), turn_rad)
                     for x, y in (near, (goal.x, goal.y)))

    def _is_roomy_at(self, goal: Pose2D) -> tuple[bool, ...]:
        """Return whether it could turn round at a goal; both where nobody can tell."""
        roomy = self.has_room(goal.x, goal.y)
        return (True, False) if roomy is None else (roomy,)

    def has_room(self, x: float, y: float) -> Opinion:
        """Return whether the costmap leaves room for a turn to any heading."""
        costmap = self.facts.costmap
        if costmap.is_on_edge(x, y):
            return None
        reach_m = max(math.hypot(*one) for one in self.facts.footprint or ())
        x, y = costmap.centre(costmap.cell(x, y))
        (bottom, left), (top, right) = (costmap.cell(x - reach_m, y - reach_m),
                                        costmap.cell(x + reach_m, y + reach_m))
        far_m = math.inf
        for row in range(bottom, top + 1):
            for column in range(left, right + 1):
                value = costmap.value((row, column))
                # Beyond its edge nothing is said.
                if value is not None and not 0 <= value < 100:
                    far_m = min(far_m, math.dist(costmap.centre((row, column)), (x, y)))
        return contrary(at_most(far_m, reach_m))


def _neighbours(cell: Cell) -> Iterator[tuple[Cell, float]]:
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if down or right:
                yield (cell[0] + down, cell[1] + right), math.hypot(down, right)


def connected(start: Cell, may: Callable[[Cell], bool]) -> frozenset[Cell]:
    """Return the cells to which a way leads over those that one may pass."""
    found, todo = {start}, [start]
    while todo:
        for other, _ in _neighbours(todo.pop()):
            if other not in found and may(other):
                found.add(other)
                todo.append(other)
    return frozenset(found)


def _longest_m(those: list[bool], steps: list[tuple[float, float]]) -> float:
    """Return how long the longest part of a path is whose points are all so, in metres."""
    longest_m, along_m = 0.0, 0.0
    for index, one in enumerate(those):
        from_before = one and index > 0 and those[index - 1]
        along_m = along_m + math.dist(steps[index - 1], steps[index]) if from_before else 0.0
        longest_m = max(longest_m, along_m)
    return longest_m


def _stepped(points: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield points along a path, close together."""
    yield points[0]
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        count = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0) / _PATH_STEP_M))
        for step in range(1, count + 1):
            yield x0 + (x1 - x0) * step / count, y0 + (y1 - y0) * step / count


def _again(met: list[Opinion]) -> Opinion:
    """Return whether something is met again after it was left."""
    run = max(1, math.ceil(_GAP_M / _PATH_STEP_M))
    left, unsure, gap, back, along = False, False, 0, 0, 0
    for one in met:
        # Along an edge it may be left and met again unnoticed.
        along = along + 1 if one is None else 0
        unsure = unsure or along > 2 * run
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
