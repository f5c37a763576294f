"""Zones that an operator drew on the map: where the robot may not be, and where it is slow."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.verify.polygons import (
    Corners,
    Floats,
    Mask,
    border_of,
    inside,
    squared_between,
    squared_to,
)


class ZoneKind(StrEnum):
    """What a zone means."""

    #: The robot may not be in it.
    KEEP_OUT = 'keep_out'
    #: The robot may only be in one of these.
    KEEP_IN = 'keep_in'
    #: The robot is slow in it.
    SPEED = 'speed'


@dataclass(frozen=True)
class SpeedLimit:
    """How fast the robot may drive, as nav2_msgs/SpeedLimit says it.

    Attributes:
        value: in m/s, or in percent of its fastest; 0: no limit.
        percentage: whether it is in percent.
    """

    value: float = 0.0
    percentage: bool = False


@dataclass(frozen=True)
class Zone:
    """One polygon.

    Attributes:
        names: what people call it, at least one.
        corners: in the map frame.
        limit: in a speed zone; None in all others.
    """

    names: tuple[str, ...]
    kind: ZoneKind
    corners: Corners
    limit: SpeedLimit | None = None

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return 'the zone ' + ' / '.join(f"'{name}'" for name in self.names)


@dataclass(frozen=True, eq=False)
class ClosedFloor:
    """Floor on which the robot may not be: that of one zone, or all that no keep-in zone covers.

    Attributes:
        words: what it is called.
        polygons: of which it is the inside, or the outside.
        outside: which of both.
    """

    words: str
    polygons: tuple[Corners, ...]
    outside: bool = False

    @cached_property
    def _border(self) -> Floats:
        return border_of(self.polygons)

    @cached_property
    def _bounds_m(self) -> tuple[float, float, float, float]:
        corners = np.concatenate([np.array(one) for one in self.polygons])
        low, high = corners.min(axis=0), corners.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def holds(self, x: Floats, y: Floats, margin_m: float) -> Mask:
        """Tell which points lie on it, or no farther from it than a margin.

        Args:
            x, y: shape (n,), in the map frame in metres.
            margin_m: at least 0.
        """
        covered = np.logical_or.reduce([inside(one, x, y) for one in self.polygons])
        found: Mask = (squared_to(self._border, x, y) <= margin_m * margin_m) | (
            ~covered if self.outside else covered)
        return found

    def meets(self, points: Floats, margin_m: float) -> Mask:
        """Tell which pieces of a polyline come so near to it; see `squared_between`."""
        ends = points[1:] if len(points) > 1 else points
        found: Mask = (squared_between(self._border, points) <= margin_m * margin_m) | (
            self.holds(ends[:, 0], ends[:, 1], 0.0))
        return found

    def cells(self, grid: OccupancyGrid, margin_m: float) -> Mask:
        """Return the cells of a grid whose centres lie on it, or so near to it."""
        x0, y0, x1, y1 = self._bounds_m
        (top, left), (bottom, right) = (grid.cell_of(x0 - margin_m, y0 - margin_m),
                                        grid.cell_of(x1 + margin_m, y1 + margin_m))
        height, width = grid.shape
        rows = np.arange(max(0, top), max(0, min(height, bottom + 1)))
        columns = np.arange(max(0, left), max(0, min(width, right + 1)))
        found = np.full(grid.shape, self.outside)
        if rows.size and columns.size:
            x, y = np.meshgrid(grid.origin_x_m + (columns + 0.5) * grid.resolution_m,
                               grid.origin_y_m + (rows + 0.5) * grid.resolution_m)
            found[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1] = self.holds(
                x.ravel(), y.ravel(), margin_m).reshape(x.shape)
        return found


@dataclass(frozen=True)
class Zones:
    """All zones of a map."""

    zones: tuple[Zone, ...] = ()

    @cached_property
    def closed(self) -> tuple[ClosedFloor, ...]:
        """Return the floor that they close, each with its name."""
        kept = self._of(ZoneKind.KEEP_IN)
        beyond = () if not kept else (ClosedFloor(
            f"what lies outside of {' and '.join(zone.words for zone in kept)}",
            tuple(zone.corners for zone in kept), outside=True),)
        return (*(ClosedFloor(zone.words, (zone.corners,))
                  for zone in self._of(ZoneKind.KEEP_OUT)), *beyond)

    def limit_at(self, x: float, y: float) -> SpeedLimit | None:
        """Return the least limit of the speed zones in which a point lies, 0 in none of them.

        None where there are no speed zones. All limits are of one unit.
        """
        zones = self._of(ZoneKind.SPEED)
        if not zones:
            return None
        at = np.array([x]), np.array([y])
        limits = [zone.limit for zone in zones
                  if zone.limit is not None and inside(zone.corners, *at)[0]]
        return min(limits, key=lambda limit: limit.value, default=SpeedLimit())

    def _of(self, kind: ZoneKind) -> Sequence[Zone]:
        return [zone for zone in self.zones if zone.kind is kind]
