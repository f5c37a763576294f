"""The robot's surroundings as far as known: pose, map, costmap, and the ways over it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.footprint import Footprint
from semantic_nav.contracts.grid import LETHAL, OccupancyGrid, laid_over
from semantic_nav.verify.effects import LimitSpeed
from semantic_nav.verify.events import (
    ChargeHeard,
    CostmapMissing,
    CostmapReceived,
    FootprintAwaited,
    FootprintHeard,
    HoldAwaited,
    HoldHeard,
    KeepoutAwaited,
    KeepoutMissing,
    KeepoutReceived,
    MapMissing,
    NavGoalsAwaited,
    NavGoalsHeard,
    NavServersAwaited,
    NavServersHeard,
    PoseMissing,
    SensorBlind,
    SensorHeard,
    UncertaintyHeard,
    ZonesReceived,
)
from semantic_nav.verify.floor.drivable_floor import DrivableFloor, Known, Reach
from semantic_nav.verify.floor.keepout import Keepout
from semantic_nav.verify.floor.localisation import Localisation
from semantic_nav.verify.floor.nav2_clients import Clients
from semantic_nav.verify.floor.scan_agreement import ScanAgreement
from semantic_nav.verify.floor.scanner import walls_within

_T = TypeVar('_T', np.bool_, np.float32)
#: Names of sensors that may be watched.
DEPTH, SCAN = 'depth picture', 'laser scan'
#: Events that may end a drive at once.
Condition = (PoseMissing | HoldHeard | HoldAwaited | ChargeHeard | UncertaintyHeard
             | ZonesReceived | KeepoutAwaited | KeepoutReceived | NavGoalsAwaited | NavGoalsHeard)
#: Events that only update the surroundings.
Noticed = (Condition | MapMissing | CostmapReceived | CostmapMissing | KeepoutMissing
           | SensorHeard | SensorBlind | FootprintAwaited | FootprintHeard
           | NavServersAwaited | NavServersHeard)
#: Smallest rise of the battery's charge that counts; its reading sags under load.
_CHARGED = 0.05
_NO_MASK = 'none has come'
#: Points within 0.1 m of the middle of a robot, relative to it, in m. They cannot be occupied.
_MIDDLE_M = 0.04 * np.array([(x, y) for x in range(-2, 3) for y in range(-2, 3)
                             if x * x + y * y <= 5], np.float64)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The newest pose, map and costmap, and the state of sensors and of Nav2.

    Attributes:
        map_missing, costmap_missing: fault of a newer one; empty for none.
        sensors: stamp of the newest message of each sensor that was heard, by its name.
        blind: reason, by name, of each sensor that measures nothing.
        held: the last word of the pause topic was to stand, or it is still awaited.
        hold_ns: time of its last message, on the steady clock; None before.
        charge: charge of the battery from 0 to 1; None if unknown.
        uncertainty: of the pose.
        agreement: of the last scans with the map.
        clients: owners of the goals that the navigator has in hand.
        nav_fault: fault of the servers of Nav2; empty for none known.
        nav_awaited: the servers have been asked and have not answered.
        keepout: closed floor.
        footprint: outline of the robot as Nav2 tells it; None if it tells none.
        footprint_awaited: Nav2 is to tell a footprint and has not yet.
    """

    robot: Localisation = Localisation()
    map: OccupancyGrid | None = None
    costmap: OccupancyGrid | None = None
    floor: DrivableFloor | None = None
    map_missing: str = ''
    costmap_missing: str = ''
    sensors: Mapping[str, int] = field(default_factory=dict)
    blind: Mapping[str, str] = field(default_factory=dict)
    held: bool = False
    hold_ns: int | None = None
    charge: float | None = None
    uncertainty: UncertaintyHeard = UncertaintyHeard(0.0, 0.0)
    agreement: ScanAgreement = ScanAgreement()
    clients: Clients = Clients()
    nav_fault: str = ''
    nav_awaited: bool = False
    keepout: Keepout = Keepout()
    footprint: Footprint | None = None
    footprint_awaited: bool = False

    def with_costmap(self, grid: OccupancyGrid) -> 'Surroundings':
        """The surroundings with a new costmap."""
        before, floor = self.costmap, self.floor
        if before is None or not (np.array_equal(before.cells, grid.cells)
                                  and before.same_frame(grid)):
            floor = self._floor_over(grid)
        return replace(self, costmap=grid, floor=floor, costmap_missing='')

    def closing(self, keepout: Keepout) -> 'Surroundings':
        """The surroundings with other closed floor."""
        after = replace(self, keepout=keepout)
        return after if self.costmap is None else replace(
            after, floor=after._floor_over(self.costmap))

    def after(self, event: Noticed, now: Now) -> 'Surroundings':
        """The surroundings after an event."""
        match event:
            case SensorHeard(name=name, stamp_ns=stamp_ns):
                return self._sensed(name, stamp_ns)
            case SensorBlind():
                return self._blinded(event)
            case HoldHeard(held=held):
                return replace(self, held=held, hold_ns=now.steady_ns)
            case HoldAwaited():
                return replace(self, held=True, hold_ns=None)
            case ChargeHeard(share=share):
                before = self.charge
                rose = before is not None and before < share < before + _CHARGED
                return replace(self, charge=before if rose else share)
            case UncertaintyHeard():
                return replace(self, uncertainty=event)
            case NavGoalsAwaited() | NavGoalsHeard():
                return replace(self, clients=self.clients.after(event, now))
            case NavServersHeard(fault=fault):
                return replace(self, nav_fault=fault, nav_awaited=False)
            case NavServersAwaited():
                return replace(self, nav_awaited=True)
            case PoseMissing(reason=reason):
                return replace(self, robot=replace(self.robot, missing=reason))
            case CostmapReceived(grid=grid):
                return self.with_costmap(grid)
            case CostmapMissing(reason=reason):
                return replace(self, costmap_missing=reason)
            case MapMissing(reason=reason):
                return replace(self, map_missing=reason)
            case FootprintAwaited():
                return replace(self, footprint=None, footprint_awaited=True)
            case FootprintHeard(corners=corners):
                return self._shaped(Footprint(corners))
            case ZonesReceived(zones=zones):
                return self.closing(replace(self.keepout, zones=zones))
            case KeepoutAwaited():
                return replace(self, keepout=replace(self.keepout, missing=_NO_MASK))
            case KeepoutReceived(grid=grid):
                return self.closing(replace(self.keepout, mask=grid, missing=''))
            case KeepoutMissing(reason=reason):
                return replace(self, keepout=replace(
                    self.keepout, missing=reason if self.keepout.mask is None else ''))

    def avoiding(self, closed: OccupancyGrid) -> 'Surroundings':
        """The surroundings with places closed that Nav2 does not know.

        Nav2 takes the shortest way. A goal pose behind such a place is out of reach if the
        shortest way leads past it, even if a way round is known.

        Args:
            closed: the costmap with these places closed.
        """
        return replace(self, costmap=closed, floor=DrivableFloor(
            closed, closed=self.keepout.over(closed), shortest=self.floor,
            before=self._known_over(closed)))

    def opened(self, known: NDArray[np.bool_]) -> 'Surroundings':
        """The surroundings as if nothing blocked the ways over some floor.

        Args:
            known: mask of that floor, in the shape of the map.
        """
        assert self.map is not None and self.costmap is not None
        return replace(self, floor=DrivableFloor(
            self.costmap, laid_over(known, self.map, self.costmap, False),
            before=self._known_over(self.costmap), closed=self.keepout.over(self.costmap)))

    def _shaped(self, footprint: Footprint) -> 'Surroundings':
        """The surroundings with a footprint, which Nav2 publishes repeatedly."""
        after = replace(self, footprint=footprint, footprint_awaited=False)
        return after if footprint.inscribed_m <= self.keepout.margin_m else after.closing(
            replace(self.keepout, margin_m=footprint.inscribed_m))

    def _floor_over(self, grid: OccupancyGrid) -> DrivableFloor:
        return DrivableFloor(grid, before=self._known_over(grid), closed=self.keepout.over(grid))

    def _known_over(self, grid: OccupancyGrid) -> Known | None:
        floor = self.floor
        return floor.known if floor is not None and floor.costmap.same_frame(grid) else None

    def located(self, robot: Localisation, *, jumped: bool) -> 'Surroundings':
        """The surroundings with a new localisation; a jump discards the scans before it."""
        agreement = ScanAgreement()
        if not (self.map is None or robot.map_T_odom is None or jumped or robot.odometry.fault):
            agreement = self.agreement.corrected(robot.map_T_odom, self.map)
        return replace(self, robot=robot, agreement=agreement)

    def sensed_anew(self, now: Now) -> 'Surroundings':
        """The surroundings with all sensors fresh, as after a time without subscriptions."""
        return replace(self, sensors=dict.fromkeys(self.sensors, now.clock_ns), blind={})

    def _sensed(self, name: str, stamp_ns: int) -> 'Surroundings':
        return replace(self, sensors={**self.sensors, name: stamp_ns}, blind={
            other: reason for other, reason in self.blind.items() if other != name})

    def _blinded(self, event: SensorBlind) -> 'Surroundings':
        """The surroundings with a sensor that measures nothing, which counts as silent.

        It counts as heard if by the map there may be nothing in its range.
        """
        robot = self.robot.pose
        if event.within_m and not (robot is not None and self.map is not None and walls_within(
                self.map, robot.x, robot.y, event.within_m)):
            return self._sensed(event.name, event.stamp_ns)
        return replace(self, sensors={event.name: 0, **self.sensors},
                       blind={**self.blind, event.name: event.reason})

    @cached_property
    def reach(self) -> Reach | None:
        """Floor within reach of the robot; None before pose and costmap, or if it is wedged."""
        if self.floor is None or self.robot.pose is None:
            return None
        return self.floor.reach_of(self.robot.pose)

    def blamed(self, words: str) -> str:
        """Message of a failure of Nav2, with the fault of its servers if one is known."""
        return f'{words}; {self.nav_fault}' if self.nav_fault else words

    @property
    def speed_limit(self) -> LimitSpeed | None:
        """Speed limit at the robot's pose; None without a pose or without speed zones."""
        robot = self.robot.pose
        limit = self.keepout.zones.limit_at(robot.x, robot.y) if robot is not None else None
        return LimitSpeed(limit) if limit is not None else None

    @property
    def closed_on_map(self) -> NDArray[np.bool_] | None:
        """Mask of the closed cells of the map, in its shape; None for no closed floor."""
        closed = self.keepout.over(self.map) if self.map is not None else None
        return closed.near if closed is not None else None

    @property
    def stands_in_something(self) -> bool:
        """Tell whether map or costmap has an obstacle at the middle of the robot."""
        robot = self.robot.pose
        return robot is not None and any(
            grid is not None and bool((grid.values_at(*(_MIDDLE_M + (robot.x, robot.y)).T)
                                       >= LETHAL).any())
            for grid in (self.map, self.costmap))

    def way_to(self, x: float, y: float) -> float:
        """Length of the way to a point in m; infinite for none."""
        cell = self._cell_of(x, y)
        return self._reach.length_m(cell) if cell is not None else np.inf

    def way_leads_to(self, x: float, y: float) -> bool:
        """Tell whether a way leads to a point."""
        cell = self._cell_of(x, y)
        return cell is not None and self._reach.leads_to(cell)

    def way_is_within(self, x: float, y: float, most_m: float) -> bool:
        """Tell whether a way of at most `most_m` leads to a point."""
        cell = self._cell_of(x, y)
        return cell is not None and self._reach.is_within(cell, most_m)

    def distances_on_map(self) -> NDArray[np.float32]:
        """Lengths of the ways in m to the cells of the map, in its shape; infinite for none."""
        return self._on_map(self._reach.all_m, np.float32(np.inf))

    def reached_on_map(self) -> NDArray[np.bool_]:
        """Mask of the cells of the map that a way leads to, whatever the map shows there."""
        return self._on_map(self._reach.cells, np.bool_(False))

    @property
    def _reach(self) -> Reach:
        assert self.reach is not None
        return self.reach

    def _cell_of(self, x: float, y: float) -> tuple[int, int] | None:
        assert self.costmap is not None
        cell = self.costmap.cell_of(x, y)
        return cell if self.costmap.contains(*cell) else None

    def _on_map(self, values: NDArray[_T], beyond: _T) -> NDArray[_T]:
        assert self.map is not None and self.costmap is not None
        if self.map.same_frame(self.costmap):
            return values
        height, width = self.map.shape
        columns = self._costmap_indices(width, self.map.origin_x_m, self.costmap.origin_x_m)
        rows = self._costmap_indices(height, self.map.origin_y_m, self.costmap.origin_y_m)
        inside = ((rows >= 0) & (rows < self.costmap.shape[0]))[:, None] & (
            (columns >= 0) & (columns < self.costmap.shape[1]))
        taken = values[np.ix_(rows.clip(0, self.costmap.shape[0] - 1),
                              columns.clip(0, self.costmap.shape[1] - 1))]
        return np.where(inside, taken, beyond)

    def _costmap_indices(self, count: int, map_origin_m: float,
                         costmap_origin_m: float) -> NDArray[np.int64]:
        assert self.map is not None and self.costmap is not None
        centres = map_origin_m + (np.arange(count) + 0.5) * self.map.resolution_m
        cells: NDArray[np.int64] = np.floor(
            (centres - costmap_origin_m) / self.costmap.resolution_m).astype(np.int64)
        return cells

    def reachable_floor(self) -> NDArray[np.bool_]:
        """Mask of the free cells of the map that a way leads to."""
        assert self.map is not None
        return self.reached_on_map() & self.map.free
