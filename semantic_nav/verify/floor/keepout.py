"""Keep-out floor: the zones of the operator and Nav2's keep-out mask."""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, LETHAL, Mask, Metres, OccupancyGrid
from semantic_nav.verify.zones import ClosedFloor, Zones

#: Largest length of the pieces in which a path is checked, in m.
_PIECE_M = 0.05
#: Spacing of the samples of a piece on a mask, as a share of a cell.
_SAMPLED = 0.5
#: Name of the masked floor in messages.
MASKED = 'what the keep-out mask closes'
_EIGHT = np.ones((3, 3), np.bool_)


@dataclass(frozen=True, eq=False)
class MaskedFloor:
    """Floor closed by a keep-out mask: its cells of 100. Nav2 plans over all others, at a cost.

    It has the interface of `ClosedFloor`, accurate to a cell.
    """

    grid: OccupancyGrid
    words: str = MASKED

    @cached_property
    def _away_m(self) -> Metres:
        """Distance of each cell to the nearest closed one, in m, in the shape of the grid."""
        closed = self.grid.cells >= LETHAL
        return np.asarray(
            ndimage.distance_transform_edt(~closed, sampling=self.grid.resolution_m)
            if closed.any() else np.full(closed.shape, np.inf), np.float64)

    def holds(self, x: Metres, y: Metres, margin_m: float) -> Mask:
        """Mask of points on it or within about a margin; outside of the grid nothing is closed."""
        rows, columns, found = self.grid.cells_of(x, y)
        # The distance between cell centres may exceed that from point to cell.
        most_m = margin_m + self.grid.resolution_m * math.sqrt(2.0) if margin_m else 0.0
        found[found] = self._away_m[rows[found], columns[found]] <= most_m
        return found

    def meets(self, points: Metres, margin_m: float) -> Mask:
        """Mask of the pieces of a polyline that touch it or come within about a margin.

        Pieces are sampled, because closed floor may be thin.
        """
        if len(points) < 2:
            return self.holds(points[:, 0], points[:, 1], margin_m)
        height, width = self.grid.shape
        low = np.array([self.grid.origin_x_m, self.grid.origin_y_m])
        starts, ends = _shares_within(
            points, low, low + np.array([width, height]) * self.grid.resolution_m)
        steps = np.diff(points, axis=0)
        lengths_m = np.hypot(steps[:, 0], steps[:, 1]) * (ends - starts)
        counts = np.ceil(lengths_m / (_SAMPLED * self.grid.resolution_m)).astype(int) + 1
        pieces = np.arange(len(steps)).repeat(counts)
        number = np.arange(counts.sum()) - (np.cumsum(counts) - counts).repeat(counts)
        shares = starts[pieces] + (ends - starts)[pieces] * (
            number / np.maximum(counts - 1, 1)[pieces])
        at = points[pieces] + steps[pieces] * shares[:, None]
        found: Mask = np.bincount(pieces[self.holds(at[:, 0], at[:, 1], margin_m)],
                                  minlength=len(steps)) > 0
        return found

    def cells(self, grid: OccupancyGrid, margin_m: float) -> Mask:
        """Mask of the cells of a grid whose centres lie on it or within about a margin."""
        return self.holds(*grid.centres_of(*np.indices(grid.shape)), margin_m)


@dataclass(frozen=True, eq=False)
class ClosedCells:
    """Cells of a grid on which the middle of the robot may not be.

    Attributes:
        near: cells on closed floor or within the margin of it.
        on: cells on it.
    """

    near: Mask
    on: Mask

    def about(self, cell: tuple[int, int]) -> Mask | None:
        """Connected closed cells over which a robot on one of them may leave; None elsewhere.

        A robot that is only beside closed floor may not leave over it.
        """
        row, column = cell
        height, width = self.near.shape
        if not (0 <= row < height and 0 <= column < width and self.near[row, column]):
            return None
        parts, _ = ndimage.label(
            self.near if self.on[row, column] else self.near & ~self.on, _EIGHT)
        return np.asarray(parts == parts[row, column])


@dataclass(frozen=True, eq=False)
class Keepout:
    """All closed floor.

    Attributes:
        margin_m: least distance of the middle of the robot to it.
        zones: of the operator.
        mask: keep-out mask of Nav2; None for none.
        missing: why an expected mask is missing; empty if it is there or none is expected.
    """

    margin_m: float = 0.0
    zones: Zones = Zones()
    mask: OccupancyGrid | None = None
    missing: str = ''

    @cached_property
    def floors(self) -> tuple[ClosedFloor | MaskedFloor, ...]:
        """Each piece of closed floor, with its name."""
        masked = () if self.mask is None else (
            MaskedFloor(_with_rim(self.mask, self.margin_m)),)
        return (*self.zones.closed, *masked)

    def at(self, x: float, y: float) -> str:
        """Name of closed floor at a point or within the margin of it; empty for none."""
        return next(iter(self._named(x, y, self.margin_m)), '')

    def on(self, robot: Pose2D | None) -> frozenset[str]:
        """Names of all closed floor under the middle of a robot."""
        return frozenset(() if robot is None else self._named(robot.x, robot.y, 0.0))

    def crossed(self, before: Pose2D | None, robot: Pose2D) -> frozenset[str]:
        """Names of all closed floor that the middle of a robot crossed between two poses.

        Args:
            before: the earlier pose; None if unknown.
            robot: the current pose.
        """
        if before is None:
            return self.on(robot)
        way = np.array([(before.x, before.y), (robot.x, robot.y)])
        return frozenset(floor.words for floor in self.floors if floor.meets(way, 0.0).any())

    def _named(self, x: float, y: float, margin_m: float) -> list[str]:
        at = np.array([x]), np.array([y])
        return [floor.words for floor in self.floors if floor.holds(*at, margin_m)[0]]

    def entered_by(self, points: Metres) -> str:
        """Name of the closed floor that a path enters or comes too near to; empty for none.

        A robot that stands on closed floor or too near to it may leave it once. It may not come
        back, and may not drive onto it from beside it.

        Args:
            points: of the path in the map frame, from the robot on, shape (n, 2).
        """
        for floor in self.floors:
            met = floor.meets(points, self.margin_m)
            if not met.any():
                continue
            start = points[:1, 0], points[:1, 1]
            if not floor.holds(*start, self.margin_m)[0]:
                return floor.words
            pieces = _in_pieces(points)
            if _comes_back(floor.meets(pieces, self.margin_m)) or (
                    _comes_back(floor.meets(pieces, 0.0)) if floor.holds(*start, 0.0)[0]
                    else floor.meets(points, 0.0).any()):
                return floor.words
        return ''

    def over(self, grid: OccupancyGrid) -> ClosedCells | None:
        """The closed cells of a grid; None if no floor is closed."""
        if not self.floors:
            return None
        return _over(self, grid.shape, grid.resolution_m, grid.origin_x_m, grid.origin_y_m)


@lru_cache(maxsize=4)
def _over(keepout: Keepout, shape: tuple[int, int], resolution_m: float, origin_x_m: float,
          origin_y_m: float) -> ClosedCells:
    grid = OccupancyGrid(np.zeros(shape, np.int8), resolution_m, origin_x_m, origin_y_m, '', 0)
    near, on = (np.logical_or.reduce([floor.cells(grid, margin_m) for floor in keepout.floors])
                for margin_m in (keepout.margin_m, 0.0))
    return ClosedCells(near, on)


def _with_rim(mask: OccupancyGrid, margin_m: float) -> OccupancyGrid:
    """A mask with a rim of open cells, so that closed cells at its edge have their margin too."""
    if not margin_m:
        return mask
    # Distances between cell centres are longer, by up to the diagonal of a cell.
    count = math.ceil(margin_m / mask.resolution_m) + 1
    rim_m = count * mask.resolution_m
    return replace(mask, cells=np.pad(mask.cells, count, constant_values=FREE),
                   origin_x_m=mask.origin_x_m - rim_m, origin_y_m=mask.origin_y_m - rim_m)


def _comes_back(met: Mask) -> bool:
    """Tell whether a path meets closed floor again after a piece that does not."""
    return bool(not met.all() and met[int(np.argmin(met)):].any())


def _in_pieces(points: Metres) -> Metres:
    """A polyline divided into short pieces, shape (m, 2)."""
    steps = np.diff(points, axis=0)
    counts = np.maximum(1, np.ceil(np.hypot(steps[:, 0], steps[:, 1]) / _PIECE_M)).astype(int)
    if not len(counts):
        return points
    parts = [start + step * (np.arange(count) / count)[:, None]
             for start, step, count in zip(points[:-1], steps, counts, strict=True)]
    return np.concatenate([*parts, points[-1:]])


def _shares_within(points: Metres, low: Metres, high: Metres) -> tuple[Metres, Metres]:
    """Part of each piece of a polyline inside a box (Liang and Barsky, 1984).

    Args:
        points: of the polyline, shape (n, 2), n at least 2.
        low, high: corners of the box, shape (2,).

    Returns:
        Begin and end as shares of the piece from 0 to 1, each of shape (n - 1,); both 1 for a
        piece outside.
    """
    begins, steps = points[:-1], np.diff(points, axis=0)
    still = steps == 0.0
    along = np.where(still, 1.0, steps)
    with np.errstate(over='ignore'):
        one, other = (low - begins) / along, (high - begins) / along
    beside = still & ((begins < low) | (begins > high))
    enters = np.where(still, np.where(beside, 2.0, 0.0), np.minimum(one, other))
    leaves = np.where(still, 1.0, np.maximum(one, other))
    first, last = enters.max(axis=1).clip(0.0), leaves.min(axis=1).clip(max=1.0)
    return np.where(first <= last, first, 1.0), np.where(first <= last, last, 1.0)
