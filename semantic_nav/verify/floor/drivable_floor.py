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

#: Largest distance between the robot's cell and the nearest drivable one, in m.
_START_SHIFT_M = 0.5
#: Extra length below which a way counts as the shortest one, in m.
_DETOUR_M = 0.3
#: Slack between the sum of two ways and the way between their ends, in blocks.
_SLACK_BLOCKS = 4
_Cell = tuple[int, int]


class Known(NamedTuple):
    """Results of a floor, most of which hold for the next one too.

    Attributes:
        regions: its connected cells.
        ways: the newest that were asked for; None before.
    """

    regions: Regions
    ways: Ways | None


@dataclass(frozen=True, eq=False)
class DrivableFloor:
    """The cells of a costmap on which the robot touches nothing known.

    An equal new costmap keeps the floor and the ways over it. Connectivity is computed first;
    lengths of ways only on demand.

    Attributes:
        opened: cells on which it would touch nothing if ways were not blocked, in the shape of the
            costmap; None for none.
        shortest: the floor over which Nav2 takes the shortest way; None for this one.
        before: results of the floor before this one, on a costmap of the same frame.
        closed: cells on which it may not be, even if free; None for none.
        leaving: closed cells over which the robot may leave from its pose; None for none.
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
        """Mask of the drivable cells, in the shape of the costmap."""
        cost = self.costmap.cells
        drivable: NDArray[np.bool_] = (cost >= FREE) & (cost < INSCRIBED)
        drivable = drivable if self.opened is None else drivable | self.opened
        if self.closed is None:
            return drivable
        return drivable & (~self.closed.near if self.leaving is None else
                           ~self.closed.near | self.leaving)

    @cached_property
    def regions(self) -> Regions:
        """Connected regions of the drivable cells."""
        return regions_of(self.cells, self.before.regions if self.before is not None else None)

    @property
    def known(self) -> Known | None:
        """Results for the floor that follows; None if nothing was asked yet."""
        if 'regions' not in self.__dict__:
            return self.before
        before = self.before.ways if self.before is not None else None
        return Known(self.regions, next(iter(self._ways.values()), before))

    def reach_of(self, robot: Pose2D) -> 'Reach | None':
        """Floor within reach of a robot; None if no clear cell is near it."""
        cell = self.costmap.cell_of(robot.x, robot.y)
        leaving = self.closed.about(cell) if self.closed is not None else None
        if leaving is not None and self.leaving is None:
            return replace(self, leaving=leaving, before=self.known).reach_of(robot)
        start = nearest_open(self.cells, cell,
                             round(_START_SHIFT_M / self.costmap.resolution_m))
        return None if start is None else Reach(
            self, start, self.shortest.reach_of(robot) if self.shortest is not None else None)

    def ways_from(self, start: _Cell) -> Ways:
        """The ways from one of the cells."""
        if start not in self._ways:
            self._ways.clear()
            self._ways[start] = ways_from(self.regions, start, self.costmap.resolution_m)
        return self._ways[start]

    def surely_within(self, start: _Cell, cell: _Cell, most_m: float) -> bool:
        """Tell whether known ways lead between two cells and are no longer than `most_m`.

        They lead to both cells from another start, over this floor or over an earlier one that
        has not changed along them.
        """
        ways = self.known.ways if self.known is not None else None
        if ways is None or not ways.reached[start]:
            return False
        slack_m = _SLACK_BLOCKS * ways.edge * ways.resolution_m
        return ways.at_most_m(start) + ways.at_most_m(cell) + slack_m <= most_m and (
            ways.regions is self.regions
            or ways.lead_over(self.regions, start, cell))

    def clearance(self, clear_cost: int) -> Clearance:
        """Clearance that the robot must keep from obstacles, as the costmap shows it.

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
    """Cells within reach of the robot over a floor.

    Attributes:
        start: the cell where the ways begin, near the robot.
        shortest: the reach over the floor on which Nav2 plans. A cell is out of reach if its way
            there is shorter by more than `_DETOUR_M`. None if the floor is that one.
    """

    floor: DrivableFloor
    start: _Cell
    shortest: 'Reach | None' = None

    @property
    def _is_plain(self) -> bool:
        """Tell whether all cells connected with the start are within reach."""
        return self.shortest is None and self.floor.leaving is None

    @cached_property
    def cells(self) -> NDArray[np.bool_]:
        """Mask of the cells that a way leads to, in the shape of the costmap."""
        if self._is_plain:
            return self.floor.regions.around(self.start)
        return np.isfinite(self.all_m)

    @cached_property
    def all_m(self) -> NDArray[np.float32]:
        """Length of the way to each cell in m; infinite for none."""
        ways_m, closed = self.floor.ways_from(self.start).all_m, self.floor.closed
        if closed is not None and self.floor.leaving is not None:
            # A way may lead over closed cells but not end on one.
            ways_m = np.where(closed.near, np.float32(np.inf), ways_m)
        if self.shortest is None:
            return ways_m
        return np.where(ways_m <= self.shortest.all_m + _DETOUR_M, ways_m, np.float32(np.inf))

    def of(self, window: tuple[slice, slice]) -> NDArray[np.float32]:
        """Lengths of the ways in m to the cells of a window, in its shape."""
        if self._is_plain:
            return self.floor.ways_from(self.start).of(window)
        return self.all_m[window]

    def leads_to(self, cell: _Cell) -> bool:
        """Tell whether a way leads to a cell of the costmap."""
        if self._is_plain:
            return self.floor.regions.same(self.start, cell)
        return bool(self.cells[cell])

    def length_m(self, cell: _Cell) -> float:
        """Length of the way to a cell in m; infinite for none."""
        if self._is_plain:
            return self.floor.ways_from(self.start).length_m(cell)
        return float(self.all_m[cell])

    def is_within(self, cell: _Cell, most_m: float) -> bool:
        """Tell whether a way of at most `most_m` leads to a cell."""
        if not self.leads_to(cell):
            return False
        if self._is_plain and (
                self.floor.surely_within(self.start, cell, most_m)
                or self.floor.ways_from(self.start).at_most_m(cell) <= most_m):
            return True
        return self.length_m(cell) <= most_m
