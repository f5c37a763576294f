"""The floor on which the robot touches nothing known, and the ways over it."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, INSCRIBED, LETHAL, OccupancyGrid
from semantic_nav.explore.coarse_field import Ways, ways_from
from semantic_nav.explore.distance_field import nearest_open
from semantic_nav.explore.regions import Regions, regions_of
from semantic_nav.explore.unreached import Clearance
from semantic_nav.verify.floor.keepout import ClosedCells

#: How far the robot's own cell may lie from the nearest cell that it could drive on, in metres.
_START_SHIFT_M = 0.5
#: A way longer than the shortest by less is no other way, in metres.
_DETOUR_M = 0.3
#: The sum of two ways and the way between their ends may differ by so many blocks.
_SLACK_BLOCKS = 4
_Cell = tuple[int, int]


class Known(NamedTuple):
    """What was found of a floor, which mostly holds for the next one too.

    Attributes:
        ways: the newest that were asked for; None before.
    """

    regions: Regions
    ways: Ways | None


@dataclass(frozen=True, eq=False)
class DrivableFloor:
    """The cells of a costmap on which the robot touches nothing known.

    It outlives costmaps that say the same again, and so do the ways over it. Which of its cells
    hang together is known at once; how long a way is only where somebody asks.

    Attributes:
        opened: cells on which it would touch nothing if ways were not blocked, shape as the
            costmap's; None for none.
        shortest: the floor over which Nav2 takes the shortest way; None for this one.
        before: what was found of the floor before this one, on a costmap of the same frame.
        closed: cells on which it may not be, whatever stands there; None for none.
        leaving: those of them over which the robot may leave, from where it is; None for none.
    """

    costmap: OccupancyGrid
    opened: NDArray[np.bool_] | None = None
    shortest: 'DrivableFloor | None' = None
    before: Known | None = None
    closed: ClosedCells | None = None
    leaving: NDArray[np.bool_] | None = None
    _ways: dict[_Cell, Ways] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def cells(self) -> NDArray[np.bool_]:
        """Which cells they are, shape as the costmap's."""
        cost = self.costmap.cells
        drivable: NDArray[np.bool_] = (cost >= FREE) & (cost < INSCRIBED)
        drivable = drivable if self.opened is None else drivable | self.opened
        if self.closed is None:
            return drivable
        return drivable & (~self.closed.near if self.leaving is None else
                           ~self.closed.near | self.leaving)

    @cached_property
    def regions(self) -> Regions:
        """Which of them hang together."""
        return regions_of(self.cells, self.before.regions if self.before is not None else None)

    @property
    def known(self) -> Known | None:
        """What was found, for the floor that follows; None where nobody asked yet."""
        if 'regions' not in self.__dict__:
            return self.before
        before = self.before.ways if self.before is not None else None
        return Known(self.regions, next(iter(self._ways.values()), before))

    def reach_of(self, robot: Pose2D) -> 'Reach | None':
        """Return where ways lead to from a robot; None if no clear cell is near it."""
        cell = self.costmap.cell_of(robot.x, robot.y)
        leaving = self.closed.about(cell) if self.closed is not None else None
        if leaving is not None and self.leaving is None:
            return replace(self, leaving=leaving, before=self.known).reach_of(robot)
        start = nearest_open(self.cells, cell,
                             round(_START_SHIFT_M / self.costmap.resolution_m))
        return None if start is None else Reach(
            self, start, self.shortest.reach_of(robot) if self.shortest is not None else None)

    def ways_from(self, start: _Cell) -> Ways:
        """Return the ways from one of the cells."""
        if start not in self._ways:
            self._ways.clear()
            self._ways[start] = ways_from(self.regions, start, self.costmap.resolution_m)
        return self._ways[start]

    def surely_within(self, start: _Cell, cell: _Cell, most_m: float) -> bool:
        """Tell whether ways that are known already lead between two cells, and are not longer.

        They are those to both from elsewhere, or over a floor of before on which nothing changed
        along them.
        """
        ways = self.known.ways if self.known is not None else None
        if ways is None or not ways.reached[start]:
            return False
        slack_m = _SLACK_BLOCKS * ways.edge * ways.resolution_m
        return ways.at_most_m(start) + ways.at_most_m(cell) + slack_m <= most_m and (
            ways.regions is self.regions
            or ways.lead_over(self.regions, start, cell))

    def clearance(self, clear_cost: int) -> Clearance:
        """Return how far from obstacles the robot must keep, read off the costmap itself.

        Args:
            clear_cost: the highest cost of a pose to which the robot may be sent.
        """
        cost = self.costmap.cells
        lethal = cost >= LETHAL
        if not lethal.any():
            return Clearance(0.0, 0.0)
        away_m = ndimage.distance_transform_edt(~lethal, sampling=self.costmap.resolution_m)
        return Clearance(*(float(away_m[~lethal & (cost >= least)].max(initial=0.0))
                           for least in (INSCRIBED, clear_cost + 1)))


@dataclass(frozen=True, eq=False)
class Reach:
    """Where ways over a floor lead to from the robot.

    Attributes:
        start: the cell where they begin, near the robot.
        shortest: over the floor over which Nav2 takes the shortest way: what that does not lead
            to at about the same length is out of reach. None where the floor is that one.
    """

    floor: DrivableFloor
    start: _Cell
    shortest: 'Reach | None' = None

    @property
    def _is_plain(self) -> bool:
        """Whether nothing that hangs together with the start is out of reach."""
        return self.shortest is None and self.floor.leaving is None

    @cached_property
    def cells(self) -> NDArray[np.bool_]:
        """The cells that a way leads to, shape as the costmap's."""
        if self._is_plain:
            return self.floor.regions.around(self.start)
        return np.isfinite(self.all_m)

    @cached_property
    def all_m(self) -> NDArray[np.float32]:
        """The length of the way to each cell in metres; infinite where none leads."""
        ways_m, closed = self.floor.ways_from(self.start).all_m, self.floor.closed
        if closed is not None and self.floor.leaving is not None:
            # Over these a way may lead, and end on none of them.
            ways_m = np.where(closed.near, np.float32(np.inf), ways_m)
        if self.shortest is None:
            return ways_m
        return np.where(ways_m <= self.shortest.all_m + _DETOUR_M, ways_m, np.float32(np.inf))

    def of(self, window: tuple[slice, slice]) -> NDArray[np.float32]:
        """Return the same of a window, in its shape."""
        if self._is_plain:
            return self.floor.ways_from(self.start).of(window)
        return self.all_m[window]

    def leads_to(self, cell: _Cell) -> bool:
        """Tell whether a way leads to a cell of the costmap."""
        if self._is_plain:
            return self.floor.regions.same(self.start, cell)
        return bool(self.cells[cell])

    def length_m(self, cell: _Cell) -> float:
        """Return the length of the way to a cell; infinite where none leads."""
        if self._is_plain:
            return self.floor.ways_from(self.start).length_m(cell)
        return float(self.all_m[cell])

    def is_within(self, cell: _Cell, most_m: float) -> bool:
        """Tell whether a way no longer than that leads to a cell."""
        if not self.leads_to(cell):
            return False
        if self._is_plain and (
                self.floor.surely_within(self.start, cell, most_m)
                or self.floor.ways_from(self.start).at_most_m(cell) <= most_m):
            return True
        return self.length_m(cell) <= most_m
