"""Where the robot may not be, by the zones of an operator and by Nav2's keep-out mask."""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, LETHAL, Mask, Metres, OccupancyGrid
from semantic_nav.verify.zones import ClosedFloor, Zones

#: Pieces of a way are looked at one by one, no longer than this, in metres.
_PIECE_M = 0.05
#: Samples of a piece are so far apart on a mask, as a share of a cell.
_SAMPLED = 0.5
#: How what a keep-out mask closes is called.
MASKED = 'what the keep-out mask closes'
_EIGHT = np.ones((3, 3), np.bool_)


@dataclass(frozen=True, eq=False)
class MaskedFloor:
    """What a keep-out mask closes: its cells of 100. Nav2 plans over all others, at a price.

    It answers as `ClosedFloor` does, to a cell.
    """

    grid: OccupancyGrid
    words: str = MASKED

    @cached_property
    def _away_m(self) -> Metres:
        """How far each cell is from the nearest closed one, in metres, shape as the grid's."""
        closed = self.grid.cells >= LETHAL
        return np.asarray(
            ndimage.distance_transform_edt(~closed, sampling=self.grid.resolution_m)
            if closed.any() else np.full(closed.shape, np.inf), np.float64)

    def holds(self, x: Metres, y: Metres, margin_m: float) -> Mask:
        """Tell which points lie on it, or about so near; outside of the grid nothing is closed."""
        rows, columns, found = self.grid.cells_of(x, y)
        # From cell to cell it may be farther than from point to cell.
        most_m = margin_m + self.grid.resolution_m * math.sqrt(2.0) if margin_m else 0.0
        found[found] = self._away_m[rows[found], columns[found]] <= most_m
        return found

    def meets(self, points: Metres, margin_m: float) -> Mask:
        """Tell which pieces of a polyline come on it, or about so near: a wall may be thin."""
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
        """Return the cells of a grid whose centres lie on it, or about so near."""
        return self.holds(*grid.centres_of(*np.indices(grid.shape)), margin_m)


@dataclass(frozen=True, eq=False)
class ClosedCells:
    """Cells of a grid on which the middle of the robot may not be.

    Attributes:
        near: those on closed floor, or nearer to it than the robot is wide.
        on: those on it.
    """

    near: Mask
    on: Mask

    def about(self, cell: tuple[int, int]) -> Mask | None:
        """Return the closed cells round a robot on one of them, over which it may leave, or None.

        Beside closed floor it may not come onto it.
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
    """All that is closed.

    Attributes:
        margin_m: how far the middle of the robot keeps away from it.
        zones: of the operator.
        mask: of Nav2; None for none.
        missing: why there is no mask, where there is to be one; empty where there is.
    """

    margin_m: float = 0.0
    zones: Zones = Zones()
    mask: OccupancyGrid | None = None
    missing: str = ''

    @cached_property
    def floors(self) -> tuple[ClosedFloor | MaskedFloor, ...]:
        """Return what is closed, each with its name."""
        masked = () if self.mask is None else (
            MaskedFloor(_with_rim(self.mask, self.margin_m)),)
        return (*self.zones.closed, *masked)

    def at(self, x: float, y: float) -> str:
        """Return what is closed at a point, or too near to it; empty where nothing is."""
        return next(iter(self._named(x, y, self.margin_m)), '')

    def on(self, robot: Pose2D | None) -> frozenset[str]:
        """Return the names of all closed floor on which the middle of a robot is."""
        return frozenset(() if robot is None else self._named(robot.x, robot.y, 0.0))

    def crossed(self, before: Pose2D | None, robot: Pose2D) -> frozenset[str]:
        """Return the names of all closed floor onto which the middle of a robot came on its way.

        Args:
            before: where it was; None where nobody knows.
            robot: where it is.
        """
        if before is None:
            return self.on(robot)
        way = np.array([(before.x, before.y), (robot.x, robot.y)])
        return frozenset(floor.words for floor in self.floors if floor.meets(way, 0.0).any())

    def _named(self, x: float, y: float, margin_m: float) -> list[str]:
        at = np.array([x]), np.array([y])
        return [floor.words for floor in self.floors if floor.holds(*at, margin_m)[0]]

    def entered_by(self, points: Metres) -> str:
        """Return what a way leads into, or too near to; empty for nothing.

        A robot that stands on closed floor, or too near to it, may leave it, once: it may not come
        back, nor come onto it from beside it.

        Args:
            points: of the way in the map frame, from the robot on, shape (n, 2).
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
        """Return the cells of a grid that are closed; None where nothing is."""
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
    """Return a mask with open cells around, in which its closed ones have their margin too."""
    if not margin_m:
        return mask
    # From cell to cell it is farther, by the diagonal of one.
    count = math.ceil(margin_m / mask.resolution_m) + 1
    rim_m = count * mask.resolution_m
    return replace(mask, cells=np.pad(mask.cells, count, constant_values=FREE),
                   origin_x_m=mask.origin_x_m - rim_m, origin_y_m=mask.origin_y_m - rim_m)


def _comes_back(met: Mask) -> bool:
    """Tell whether some pieces that meet closed floor come after one that does not."""
    return bool(not met.all() and met[int(np.argmin(met)):].any())


def _in_pieces(points: Metres) -> Metres:
    """Return a polyline with points between, so that its pieces are short."""
    steps = np.diff(points, axis=0)
    counts = np.maximum(1, np.ceil(np.hypot(steps[:, 0], steps[:, 1]) / _PIECE_M)).astype(int)
    if not len(counts):
        return points
    parts = [start + step * (np.arange(count) / count)[:, None]
             for start, step, count in zip(points[:-1], steps, counts, strict=True)]
    return np.concatenate([*parts, points[-1:]])


def _shares_within(points: Metres, low: Metres, high: Metres) -> tuple[Metres, Metres]:
    """Return from where to where each piece of a polyline lies in a box (Liang and Barsky, 1984).

    Args:
        points: of the polyline, shape (n, 2), n at least 2.
        low, high: corners of the box, shape (2,).

    Returns:
        Shares of its length from 0 to 1, each of shape (n - 1,); both 1 for a piece beside it.
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
