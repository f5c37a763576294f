"""What the second checker says of acts: to turn, to go to a place or a thing, to explore."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from opinions import ROUNDING_M, Opinion, at_most, every, one_voice, some
from second_checker import Facts, connected
from shapes import Cell
from views import Views

from semantic_nav.contracts.geometry import Pose2D

Point3 = tuple[float, float, float]

#: How much nearer a leg brings the robot.
_LEG_M = 0.5
#: Near the target the map may be free again, in metres.
_SLACK_M = 0.2
#: Half of the cone round the line of sight in which a leg leads nearer, in rad.
_SIGHT_RAD = 0.4
#: Half of that on whose side a thing is looked at from another place, in rad.
_SIDE_RAD = math.radians(100)
#: For a second glance a target comes so far to the other side of the picture's middle; one that is
#: nearer to it than this may come to either; in rad.
_GLANCE_RAD, _STRAIGHT_RAD = 0.3, 0.02
#: A place is surely another from here on, in metres, and none up to there.
_ANOTHER_M, _SAME_M = 0.95, 0.7
#: A way round a table stays so near to what lies on it, in metres.
_ROUND_M = 2.0
#: The size of a thing is that of its box, so much nearer or farther than its middle, in metres.
_SIZED_M = 0.2


class Acts(Views):
    """Says whether an act is to set out, for a goal of which nothing was tried yet."""

    def __init__(self, facts: Facts, *, opened: bool = False) -> None:
        """See `Views`."""
        super().__init__(facts, opened=opened)
        self._stands: dict[Cell, Opinion] = {}
        self._sides: dict[Point3, frozenset[Cell]] = {}

    @cached_property
    def _if_opened(self) -> 'Acts':
        return Acts(self.facts, opened=True)

    def before(self, deep_m: float) -> 'Acts':
        """Return the same before a thing whose front is so much nearer than its middle."""
        config = self.config
        return self if not deep_m else Acts(replace(self.facts, config=replace(
            config, stand_off_near_m=config.stand_off_near_m + deep_m,
            stand_off_best_m=config.stand_off_best_m + deep_m,
            stand_off_far_m=config.stand_off_far_m + deep_m,
            stand_off_last_m=config.stand_off_last_m + deep_m)), opened=self._opened)

    def rotate(self, turn_rad: float) -> Opinion:
        """Return whether it may turn."""
        return self.may_turn(self.facts.robot, turn_rad) if self.starts else False

    def goto(self, pose: Pose2D | None) -> Opinion:
        """Return whether it may go to a remembered place, or to a clear cell near it."""
        if pose is None or not self.starts:
            return False
        costmap, edge_m = self.facts.costmap, self.facts.costmap.resolution_m
        there = self.may_stand(pose.x, pose.y, (pose.yaw,))
        if there is not False:
            return there
        if costmap.is_off(pose.x, pose.y) or self.facts.map.is_off(pose.x, pose.y):
            return False
        if costmap.is_on_edge(pose.x, pose.y):
            return None
        if None in (costmap.at(pose.x, pose.y), self.facts.map.at(pose.x, pose.y)):
            return False
        cell = costmap.cell(pose.x, pose.y)
        too_far = self._is_too_far(pose)
        if too_far is not False:
            return None if too_far is None else False
        reach = math.floor(self.config.node_shift_m / edge_m)
        return some(self.may_stand(*costmap.centre((cell[0] + down, cell[1] + right)),
                                   (pose.yaw,))
                    for down in range(-reach, reach + 1) for right in range(-reach, reach + 1)
                    if math.hypot(down, right) <= reach)

    def _is_too_far(self, pose: Pose2D) -> Opinion:
        """Return whether it is the length of the way that speaks against a pose."""
        cost, value = (grid.at(pose.x, pose.y) for grid in (self.facts.costmap, self.facts.map))
        if cost is None or value is None or not (
                0 <= cost <= self.config.clear_cost and 0 <= value < 65):
            return False
        closed = self.closed_at(pose.x, pose.y, self.facts.margin_m)
        if closed is not False:
            return None if closed is None else False
        cell = self.facts.costmap.cell(pose.x, pose.y)
        return every((self.way_leads_to(cell, 1e6),
                      one_voice(at_most(self.config.way_max_m, one.get(cell, math.inf), 1e-3)
                                for one in self.ways_m)))

    # To a thing

    def approach(self, target: Point3, edge_m_per_m: float | None, *,
                 provisional: bool, once: bool = False) -> Opinion:
        """Return whether the robot may set out to something that it sees from where it is.

        Args:
            target: where that is in the map.
            edge_m_per_m: how large it is in the picture, on each metre of distance along the
                camera's axis; None where nobody asks.
            provisional: its place is unsure.
            once: it was seen for the first time.
        """
        if not self.starts:
            return False
        outside_m = at_most(self._beyond_m(target), self.config.leg_stand_off_m)
        if outside_m is not True:
            return outside_m
        glances = once and self._glances(target)
        if glances:
            return True
        found = self._approach(target, edge_m_per_m, provisional)
        if found is False and not self._opened and self._if_opened.approach(
                target, edge_m_per_m, provisional=provisional) is not False:
            # The robot may go and see whether what the costmap alone holds is still there.
            return None
        return found if glances is False else one_voice((True, found))

    def _glances(self, target: Point3) -> Opinion:
        """Return whether a target is so far off that it is looked at again, with room to turn."""
        robot, bearing_rad = self.facts.robot, self.facts.robot.bearing_to(*target[:2])
        near = at_most(robot.distance_to(*target[:2]), self.config.glimpse_m)
        sides = (1, -1) if abs(bearing_rad) < _STRAIGHT_RAD else (math.copysign(1, bearing_rad),)
        return every((None if near is None else not near, one_voice(
            self.may_turn(robot, bearing_rad + side * _GLANCE_RAD) for side in sides)))

    def _approach(self, target: Point3, edge_m_per_m: float | None, unsure: bool) -> Opinion:
        config, robot = self.config, self.facts.robot
        x, y, height_m = target
        distance_m, turn_rad = robot.distance_to(x, y), robot.bearing_to(x, y)
        far = distance_m > config.leg_stand_off_m
        if unsure and far:
            reach_m = min(config.leg_stand_off_m,
                          distance_m - max(_LEG_M, config.goal_reached_m))
            leg = self._ring(target, self._near_m(height_m, reach_m), reach_m, walls=True)
            if leg is not False:
                return leg
        elif unsure:
            faces = at_most(abs(turn_rad), config.facing_rad)
            if not faces:
                return None if faces is None else self.may_turn(robot, turn_rad)
        if edge_m_per_m is not None and not (unsure and far):
            shown = self._is_shown(target, edge_m_per_m)
            if shown is not True:
                return shown
        near_m = self._near_m(height_m, config.stand_off_far_m)
        ring = self._ring(target, near_m, config.stand_off_last_m, walls=True)
        if ring is not False:
            return ring
        if distance_m <= config.stand_off_last_m:
            return self.may_turn(robot, turn_rad)
        return self._ring(target, config.stand_off_last_m,
                          distance_m - max(_LEG_M, config.goal_reached_m), walls=False,
                          side_rad=_SIGHT_RAD)

    def look_from_elsewhere(self, target: Point3) -> Opinion:
        """Return whether it may set out to see from another place what it sees from here."""
        if not self.starts:
            return False
        inside = at_most(self._beyond_m(target), self.config.leg_stand_off_m)
        if inside is not True:
            return inside
        robot, config = self.facts.robot, self.config
        return self._ring(
            target, self._near_m(target[2], config.stand_off_last_m),
            max(config.leg_stand_off_m, robot.distance_to(*target[:2])), walls=True,
            side_rad=_SIDE_RAD, elsewhere=True)

    def _is_shown(self, target: Point3, edge_m_per_m: float) -> Opinion:
        """Return whether a stand-off has anything of it in the picture."""
        lens, robot = self.facts.lens, self.facts.robot
        ahead_m = (math.cos(robot.yaw) * (target[0] - robot.x)
                   + math.sin(robot.yaw) * (target[1] - robot.y) - lens.before_m)
        return one_voice(at_most(
            min(lens.nearest_m(target[2] + part * edge_m_per_m * away_m)
                for part in (-0.5, 0.0, 0.5)), self.config.stand_off_last_m)
            for away_m in (ahead_m - _SIZED_M, ahead_m, ahead_m + _SIZED_M))

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

    def _ring(self, target: Point3, near_m: float, far_m: float, *, walls: bool,
              side_rad: float = math.pi, elsewhere: bool = False) -> Opinion:
        """Return whether the robot may stand anywhere between two distances from a target.

        Args:
            target: where that is in the map.
            near_m, far_m: the distances.
            walls: nothing may stand between.
            side_rad: how far round the target from where the robot is.
            elsewhere: not where it is, nor beside.
        """
        if far_m < near_m - ROUNDING_M:
            return False
        return some(self._of_ring(target, near_m, far_m, walls, side_rad, elsewhere))

    def _of_ring(self, target: Point3, near_m: float, far_m: float, walls: bool,
                 side_rad: float, elsewhere: bool) -> Iterator[Opinion]:
        costmap, robot = self.facts.costmap, self.facts.robot
        (row0, column0), (row1, column1) = (costmap.cell(target[0] - far_m, target[1] - far_m),
                                            costmap.cell(target[0] + far_m, target[1] + far_m))
        sight = math.atan2(robot.y - target[1], robot.x - target[0])
        for row in range(max(0, row0), min(costmap.height, row1 + 1)):
            for column in range(max(0, column0), min(costmap.width, column1 + 1)):
                x, y = costmap.centre((row, column))
                away_m = math.hypot(x - target[0], y - target[1])
                if not near_m - 2 * ROUNDING_M <= away_m <= far_m + 2 * ROUNDING_M:
                    continue
                aside = abs(math.remainder(
                    math.atan2(y - target[1], x - target[0]) - sight, math.tau))
                if aside > side_rad + ROUNDING_M:
                    continue
                off_m = robot.distance_to(x, y)
                if elsewhere and off_m < _SAME_M:
                    continue
                stands = self._stands_facing((row, column), target)
                if stands is not False:
                    yield every((
                        at_most(near_m, away_m), at_most(away_m, far_m), stands,
                        at_most(aside, side_rad) if side_rad < math.pi else True,
                        True if not elsewhere or off_m > _ANOTHER_M else None,
                        self._sees((x, y), target) if walls else True))

    def _stands_facing(self, cell: Cell, target: Point3) -> Opinion:
        x, y = self.facts.costmap.centre(cell)
        if cell not in self._stands:
            self._stands[cell] = self.may_stand(x, y, ())
        if self.facts.footprint is None or self._stands[cell] is False:
            return self._stands[cell]
        return every((self._stands[cell], self.body_fits(
            Pose2D(x, y, math.atan2(target[1] - y, target[0] - x)))))

    def _sees(self, start: tuple[float, float], target: Point3) -> Opinion:
        """Return whether no wall stands between: occupied, and then free again.

        What is occupied up to the target may be a table, or a wall right behind it. Where no floor
        near by leads round it to the side on which the robot is, nobody can tell.
        """
        # Which cell is the last that counts, a rounding may decide.
        edge_m = self.facts.map.resolution_m / 2
        seen = one_voice(self._sees_past(start, target, step, slack_m) for step in (0.5, 0.2)
                         for slack_m in (_SLACK_M, _SLACK_M - edge_m))
        apart = seen is True and self._is_apart(start, target)
        return None if apart else seen

    def _is_apart(self, start: tuple[float, float], target: Point3) -> bool:
        """Tell whether the floor next to a target is another one than where it was seen from."""
        line = list(_between(target, start, self.facts.map.resolution_m / 4))
        if all((self.facts.map.at(x, y) or 0) < 65 for x, y in line):
            return False
        here, near = self._floor_towards(target, start), self._side_of_robot(target)
        return here is not None and bool(near) and here not in near

    def _side_of_robot(self, target: Point3) -> frozenset[Cell]:
        """Return the floor near a target that hangs together with that on the robot's side."""
        if target not in self._sides:
            robot = self.facts.robot
            there = self._floor_towards(target, (robot.x, robot.y))
            self._sides[target] = self._around(there, target) if there else frozenset()
        return self._sides[target]

    def _floor_towards(self, target: Point3, place: tuple[float, float]) -> Cell | None:
        """Return the first cell of open floor near a target, on the line to a place."""
        costmap = self.facts.costmap
        for x, y in _between(target, place, costmap.resolution_m / 4):
            cell = costmap.cell(x, y)
            if self._is_round((x, y), target) and self._is_open(cell):
                return cell
        return None

    def _is_open(self, cell: Cell) -> bool:
        """Tell whether it may pass a cell, and not only to leave closed floor."""
        return cell not in self.closed_cells and self.drivable(cell)

    def _around(self, start: Cell, target: Point3) -> frozenset[Cell]:
        """Return the cells to which a way leads that stays near a target."""
        return connected(start, lambda cell: self._is_open(cell) and (
            self._is_round(self.facts.costmap.centre(cell), target)))

    @staticmethod
    def _is_round(point: tuple[float, float], target: Point3) -> bool:
        return max(abs(point[0] - target[0]), abs(point[1] - target[1])) <= _ROUND_M

    def _sees_past(self, start: tuple[float, float], end: Point3, step: float,
                   slack_m: float) -> bool:
        grid, length_m = self.facts.map, math.dist(start, end[:2])
        count = max(1, math.ceil(length_m / grid.resolution_m / step))
        last = math.floor(count * (1.0 - slack_m / max(length_m, slack_m)))
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


def _between(start: Point3, end: tuple[float, float],
             step_m: float) -> Iterator[tuple[float, float]]:
    """Yield points on the line from a target to a place."""
    count = max(1, math.ceil(math.dist(start[:2], end) / step_m))
    for index in range(count + 1):
        share = index / count
        yield (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
