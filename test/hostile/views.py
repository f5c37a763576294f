"""What the second checker says of where to look next."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from opinions import ROUNDING_M, Opinion, at_most, contrary, every, one_voice, some
from second_checker import Facts, SecondChecker

from semantic_nav.contracts.geometry import Pose2D

#: Views are tried from where the robot is, and from a lattice of this pitch that begins at the
#: first cell of the map, each in so many headings.
_LATTICE_M, _HEADINGS = 0.5, 12
_YAWS = tuple(math.tau * step / _HEADINGS for step in range(_HEADINGS))
#: What lies at the end of a shorter way is looked at from where the robot is, by a turn, which is
#: none where it is smaller.
_HERE_M, _LEAST_TURN_RAD = 0.3, 0.1
#: From a look that was taken, if the model answered, so near nothing is looked at again.
_SAME_M, _SAME_RAD = 0.4, 0.4
#: How much longer a way may be where more than one cell is nearest to the robot, in metres.
_START_M = 0.15
#: Of what a view surely shows neither the farthest nor the edges of the picture are counted.
_RANGE_M, _EDGE_RAD = 0.3, 0.1
#: How many times furniture counts, and how far a look surely reaches over it, in metres.
_FURNITURE, _OVER_M = 3.0, 0.4

_Point = tuple[float, float]


@dataclass(frozen=True)
class _Place:
    """Somewhere to look from.

    Attributes:
        counts: whether a way leads there at all.
        is_here: whether the robot turns where it is, and goes nowhere.
    """

    at: _Point
    counts: Opinion
    is_here: Opinion


class Views(SecondChecker):
    """Says whether there is anywhere to look from, after one look from where the robot is."""

    def __init__(self, facts: Facts, *, opened: bool = False) -> None:
        """See `SecondChecker`."""
        super().__init__(facts, opened=opened)
        self._explored: dict[float, Opinion] = {}
        self._shown: dict[tuple[_Point, float], list[bool]] = {}

    def explore(self, half_angle_rad: float) -> Opinion:
        """Return whether it may set out to look somewhere.

        Args:
            half_angle_rad: half of the camera's horizontal field of view.
        """
        if not self.starts:
            return False
        if half_angle_rad not in self._explored:
            self._explored[half_angle_rad] = self._explore(half_angle_rad)
        return self._explored[half_angle_rad]

    def _explore(self, half_angle_rad: float) -> Opinion:
        found = some(self._views(half_angle_rad))
        if found is not False:
            return found
        # Where no look is worth a way it may go and see what blocks one, from any cell.
        return False if self._would_show(half_angle_rad) or not any(
            self.may_stand(*self.facts.costmap.centre(cell), ()) is not False
            for ways in self.ways_m for cell in ways) else None

    def _views(self, half_angle_rad: float) -> Iterator[Opinion]:
        """Yield of each view whether the robot may look from there, and it is worth it."""
        robot = self.facts.robot
        for place in self._places:
            for index, yaw in enumerate(_YAWS):
                turn_rad = math.remainder(yaw - robot.yaw, math.tau)
                turns = every((place.is_here, at_most(_LEAST_TURN_RAD, abs(turn_rad))))
                turning = False if turns is False else every((
                    turns, self.may_turn(robot, turn_rad)))
                driving = False if turns else every((
                    contrary(turns), self._may_be_sent(place.at, yaw)))
                may = some((turning, driving))
                yield False if may is False else every((
                    place.counts, may, self._is_new(place.at, yaw),
                    self._shows(place.at, half_angle_rad)[index] or None))

    @cached_property
    def _places(self) -> list[_Place]:
        """Where it may look from, and where nobody knows; the robot's own cell is the first."""
        grid, robot = self.facts.map, self.facts.robot
        step = max(1, round(_LATTICE_M / grid.resolution_m))
        cells = [(row, column) for row in range(0, grid.height, step)
                 for column in range(0, grid.width, step)]
        here = grid.cell(robot.x, robot.y)
        return [place for cell in ([here] if grid.value(here) is not None else []) + cells
                if (place := self._place(grid.centre(cell))).counts is not False]

    def _place(self, at: _Point) -> _Place:
        costmap = self.facts.costmap
        cell = costmap.cell(*at)
        ways_m = [one.get(cell, math.inf) for one in self.ways_m]
        slack_m = _START_M if len(self.starts) > 1 else ROUNDING_M
        return _Place(at, every((
            one_voice(math.isfinite(one) for one in ways_m),
            contrary(self.closed_at(*costmap.centre(cell), self.facts.margin_m)))),
            contrary(one_voice(at_most(_HERE_M, one, slack_m) for one in ways_m)))

    def _may_be_sent(self, at: _Point, yaw: float) -> Opinion:
        """Return whether it may be sent somewhere, where it could turn round as well."""
        stands = self.may_stand(*at, ())
        if self.facts.footprint is None or stands is False:
            return stands
        return every((stands, self.has_room(*at), self.body_fits(Pose2D(*at, yaw))))

    def _is_new(self, at: _Point, yaw: float) -> Opinion:
        """Return whether it did not look from there; nobody knows whether the model answered."""
        robot = self.facts.robot
        aside_rad = abs(math.remainder(yaw - robot.yaw, math.tau))
        return contrary(every((at_most(robot.distance_to(*at), _SAME_M),
                               at_most(aside_rad, _SAME_RAD), None)))

    def _would_show(self, half_angle_rad: float) -> bool:
        """Tell whether some turn of the robot would surely show enough, were there room for it."""
        robot = self.facts.robot
        return any(
            place.counts and place.is_here and self._is_new(place.at, yaw)
            and abs(math.remainder(yaw - robot.yaw, math.tau)) > _LEAST_TURN_RAD + ROUNDING_M
            and self._shows(place.at, half_angle_rad)[index]
            for place in self._places for index, yaw in enumerate(_YAWS))

    def _shows(self, start: _Point, half_angle_rad: float) -> list[bool]:
        """Tell for each heading whether a look from a point surely shows enough that the look
        from here did not."""
        key = start, half_angle_rad
        if key not in self._shown:
            worth = [(math.atan2(y - start[1], x - start[0]), self._worth(start, (x, y)))
                     for x, y in self._unseen(half_angle_rad)
                     if math.dist(start, (x, y)) < self.config.look_range_m - _RANGE_M]
            least = self.config.min_gain_m2 / self.facts.map.resolution_m**2
            self._shown[key] = [
                sum(share for one, share in worth if abs(
                    math.remainder(one - yaw, math.tau)) < half_angle_rad - _EDGE_RAD) >= least
                for yaw in _YAWS]
        return self._shown[key]

    def _unseen(self, half_angle_rad: float) -> list[_Point]:
        """Return the middles of known cells of the map that the look from here cannot have shown.
        """
        grid, robot = self.facts.map, self.facts.robot
        if half_angle_rad not in self._unseen_by:
            self._unseen_by[half_angle_rad] = [
                (x, y) for cell in grid.all_cells() if grid.rows[cell[0]][cell[1]] >= 0
                for x, y in (grid.centre(cell),)
                if robot.distance_to(x, y) > self.config.look_range_m + _RANGE_M
                or abs(robot.bearing_to(x, y)) > half_angle_rad + _EDGE_RAD]
        return self._unseen_by[half_angle_rad]

    @cached_property
    def _unseen_by(self) -> dict[float, list[_Point]]:
        return {}

    def _worth(self, start: _Point, end: _Point) -> float:
        """Return what a cell surely counts for that is looked at from a point.

        Nothing behind a wall; furniture counts more, as far as the look surely reaches over it.
        """
        grid, length_m = self.facts.map, math.dist(start, end)
        count = max(1, math.ceil(length_m / grid.resolution_m / 0.5))
        over = 0
        for step in range(1, count + 1):
            value = grid.at(start[0] + (end[0] - start[0]) * step / count,
                            start[1] + (end[1] - start[1]) * step / count)
            if value is None or value < 0 or (over and value < 65):
                return 0.0
            over += value >= 65
        return 1.0 if not over else _FURNITURE if over * length_m / count <= _OVER_M else 0.0
