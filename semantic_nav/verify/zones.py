"""Zones that an operator drew on the map: keep-out, keep-in and speed zones."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray

from semantic_nav.contracts.grid import Mask, Metres, OccupancyGrid
from semantic_nav.contracts.polygon import Corners, polygon_of

#: Distance within which polygons touch, in m.
_TOUCH_M = 1e-6
#: Edge of a block of cells that are tested together, in cells.
_BLOCK = 8


class ZoneKind(StrEnum):
    """Kinds of zones."""

    #: The robot may not be in it.
    KEEP_OUT = 'keep_out'
    #: The robot may only be in one of these.
    KEEP_IN = 'keep_in'
    #: The robot is slow in it.
    SPEED = 'speed'


@dataclass(frozen=True)
class SpeedLimit:
    """A speed limit as in nav2_msgs/SpeedLimit.

    Attributes:
        value: in m/s, or in percent of the robot's top speed; 0: no limit.
        percentage: the value is in percent.
    """

    value: float = 0.0
    percentage: bool = False


@dataclass(frozen=True)
class Zone:
    """One zone, a polygon.

    Attributes:
        names: names that people use, at least one.
        corners: in the map frame.
        limit: of a speed zone; None for all others.
    """

    names: tuple[str, ...]
    kind: ZoneKind
    corners: Corners
    limit: SpeedLimit | None = None

    @cached_property
    def polygon(self) -> shapely.Polygon:
        """The area of the zone."""
        return polygon_of(self.corners)

    @property
    def words(self) -> str:
        """Name of the zone in a sentence."""
        return 'the zone ' + ' / '.join(f"'{name}'" for name in self.names)


@dataclass(frozen=True, eq=False)
class ClosedFloor:
    """Floor on which the robot may not be: that of one zone, or all outside the keep-in zones.

    Attributes:
        words: its name in a sentence.
        polygons: of which it is the inside or the outside.
        outside: it is the outside.
    """

    words: str
    polygons: tuple[Corners, ...]
    outside: bool = False

    @cached_property
    def _covered(self) -> shapely.Geometry:
        """Union of the polygons."""
        covered = shapely.union_all(
            [shapely.Polygon(one) for one in self.polygons], grid_size=_TOUCH_M)
        shapely.prepare(covered)
        return covered

    @cached_property
    def _border(self) -> shapely.Geometry:
        border = self._covered.boundary
        shapely.prepare(border)
        return border

    def _near(self, shapes: NDArray[np.object_], margin_m: float) -> Mask:
        """Mask of the points or pieces of a polyline within a margin of it."""
        found: Mask = (
            shapely.dwithin(self._border, shapes, margin_m)
            | ~shapely.intersects(self._covered, shapes)
            if self.outside else shapely.dwithin(self._covered, shapes, margin_m))
        return found

    def holds(self, x: Metres, y: Metres, margin_m: float) -> Mask:
        """Mask of the points on it or within a margin of it.

        Args:
            x, y: of equal shape, in the map frame in m.
            margin_m: at least 0.
        """
        return self._near(shapely.points(x, y), margin_m)

    def meets(self, points: Metres, margin_m: float) -> Mask:
        """Mask of the pieces of a polyline that come within a margin of it.

        Args:
            points: of the polyline, shape (n, 2), n at least 1; a single point is one piece.
            margin_m: at least 0.

        Returns:
            Shape (max(1, n - 1),).
        """
        near = self.holds(points[:, 0], points[:, 1], margin_m)
        if len(points) == 1:
            return near
        pieces, found = np.stack([points[:-1], points[1:]], axis=1), near[:-1] | near[1:]
        # GEOS finds nothing near a line of length 0, so its ends are tested.
        long = np.ptp(pieces, axis=1).max(axis=1) > _TOUCH_M
        found[long] |= self._near(shapely.linestrings(pieces[long]), margin_m)
        return found

    def cells(self, grid: OccupancyGrid, margin_m: float) -> Mask:
        """Mask of the cells of a grid whose centres lie on it or within a margin of it.

        Only blocks near the border are tested cell by cell; in others all cells are alike.
        """
        height, width = grid.shape
        middles = (np.arange(_BLOCK // 2, size + _BLOCK // 2, _BLOCK) for size in (height, width))
        x, y = np.meshgrid(*grid.centres_of(*middles))
        away_m = margin_m + _BLOCK * grid.resolution_m
        mixed, found = (blocks.repeat(_BLOCK, axis=0).repeat(_BLOCK, axis=1)[:height, :width]
                        for blocks in (shapely.dwithin(self._border, shapely.points(x, y), away_m),
                                       self.holds(x, y, margin_m)))
        found[mixed] = self.holds(*grid.centres_of(*np.nonzero(mixed)), margin_m)
        return found


@dataclass(frozen=True)
class Zones:
    """All zones of a map."""

    zones: tuple[Zone, ...] = ()

    @cached_property
    def closed(self) -> tuple[ClosedFloor, ...]:
        """The floor that they close, each piece with its name."""
        kept = self._of(ZoneKind.KEEP_IN)
        beyond = () if not kept else (ClosedFloor(
            f"what lies outside of {' and '.join(zone.words for zone in kept)}",
            tuple(zone.corners for zone in kept), outside=True),)
        return (*(ClosedFloor(zone.words, (zone.corners,))
                  for zone in self._of(ZoneKind.KEEP_OUT)), *beyond)

    def limit_at(self, x: float, y: float) -> SpeedLimit | None:
        """Lowest limit of the speed zones at a point; no limit (0) outside of them.

        None if there are no speed zones. All limits have one unit.
        """
        zones = self._of(ZoneKind.SPEED)
        if not zones:
            return None
        limits = [zone.limit for zone in zones if zone.limit is not None
                  and shapely.intersects_xy(zone.polygon, x, y)]
        return min(limits, key=lambda limit: limit.value, default=SpeedLimit())

    def _of(self, kind: ZoneKind) -> Sequence[Zone]:
        return [zone for zone in self.zones if zone.kind is kind]
