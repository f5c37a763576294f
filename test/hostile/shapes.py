"""Grids, polygons and closed floor for the second checker, in plain loops."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from opinions import ROUNDING_M, Opinion, at_most, one_voice

Corners = tuple[tuple[float, float], ...]
Cell = tuple[int, int]


class Cells:
    """A grid of nav_msgs, as a list of rows."""

    def __init__(self, rows: list[list[int]], resolution_m: float, origin: tuple[float, float],
                 ) -> None:
        """Take its cells, the edge of one and the outer corner of the first."""
        self.rows, self.resolution_m, self.origin = rows, resolution_m, origin
        self.height, self.width = len(rows), len(rows[0])

    def cell(self, x: float, y: float) -> Cell:
        """Return the row and column of a point."""
        return (math.floor((y - self.origin[1]) / self.resolution_m),
                math.floor((x - self.origin[0]) / self.resolution_m))

    def centre(self, cell: Cell) -> tuple[float, float]:
        """Return the middle of a cell."""
        return (self.origin[0] + (cell[1] + 0.5) * self.resolution_m,
                self.origin[1] + (cell[0] + 0.5) * self.resolution_m)

    def value(self, cell: Cell) -> int | None:
        """Return what a cell holds; None outside."""
        row, column = cell
        return self.rows[row][column] if (
            0 <= row < self.height and 0 <= column < self.width) else None

    def at(self, x: float, y: float) -> int | None:
        """Return what the cell of a point holds; None outside."""
        return self.value(self.cell(x, y))

    def is_off(self, x: float, y: float) -> bool:
        """Tell whether a point surely lies outside."""
        width_m, height_m = self.width * self.resolution_m, self.height * self.resolution_m
        x, y = x - self.origin[0], y - self.origin[1]
        return not (-ROUNDING_M <= x <= width_m + ROUNDING_M
                    and -ROUNDING_M <= y <= height_m + ROUNDING_M)

    def is_on_edge(self, x: float, y: float) -> bool:
        """Tell whether rounding may put a point into one cell or the next."""
        return any(abs(share - round(share)) < 1e-6 for share in (
            (x - self.origin[0]) / self.resolution_m, (y - self.origin[1]) / self.resolution_m))

    def all_cells(self) -> Iterator[Cell]:
        """Yield every cell."""
        return ((row, column) for row in range(self.height) for column in range(self.width))


# Polygons

def inside(corners: Corners, x: float, y: float) -> bool:
    """Tell whether a polygon holds a point, by how often a ray to the right crosses it."""
    found = False
    for (x0, y0), (x1, y1) in _sides(corners):
        if (y0 > y) != (y1 > y) and x < x0 + (x1 - x0) * (y - y0) / (y1 - y0):
            found = not found
    return found


def border_m(corners: Corners, x: float, y: float) -> float:
    """Return how far a point is from the edges of a polygon."""
    return min(_side_m(*side, x, y) for side in _sides(corners))


def away_m(corners: Corners, x: float, y: float) -> float:
    """Return how far a point is from a polygon; 0 within."""
    return 0.0 if inside(corners, x, y) else border_m(corners, x, y)


def through_m(corners: Corners, x: float, y: float, half_m: float) -> float:
    """Return how much of one edge of a polygon lies in a square about a point.

    Infinite where a corner lies in it, below 0 where no edge comes there.
    """
    longest = -1.0
    for (x0, y0), (x1, y1) in _sides(corners):
        if abs(x0 - x) < half_m and abs(y0 - y) < half_m:
            return math.inf
        longest = max(longest, _through_m(x0 - x, y0 - y, x1 - x, y1 - y, half_m))
    return longest


def _through_m(x0: float, y0: float, x1: float, y1: float, half_m: float) -> float:
    first, last = 0.0, 1.0
    for start, step in ((x0, x1 - x0), (y0, y1 - y0)):
        if step == 0.0:
            if abs(start) > half_m:
                return -1.0
            continue
        low, high = sorted(((-half_m - start) / step, (half_m - start) / step))
        first, last = max(first, low), min(last, high)
    return (last - first) * math.hypot(x1 - x0, y1 - y0) if first <= last else -1.0


def _sides(corners: Corners) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    return zip(corners, (*corners[1:], corners[0]), strict=True)


def _side_m(start: tuple[float, float], end: tuple[float, float], x: float, y: float) -> float:
    (x0, y0), (x1, y1) = start, end
    squared = (x1 - x0) ** 2 + (y1 - y0) ** 2
    share = min(1.0, max(0.0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / squared))
    return math.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0))


# Closed floor

class Closed(Protocol):
    """Floor on which the robot may not be.

    Attributes:
        slack_m: on a path, so near to its edge nobody tells.
    """

    slack_m: float

    def holds(self, x: float, y: float, margin_m: float, slack_m: float = ROUNDING_M) -> Opinion:
        """Return whether a point is on it, or so near to it."""


@dataclass(frozen=True)
class KeptOut:
    """The inside of a polygon."""

    corners: Corners
    slack_m: float = 0.02

    def holds(self, x: float, y: float, margin_m: float, slack_m: float = ROUNDING_M) -> Opinion:
        """See `Closed`."""
        edge_m, within = border_m(self.corners, x, y), inside(self.corners, x, y)
        return _holds(edge_m, within, margin_m, slack_m)


@dataclass(frozen=True)
class KeptIn:
    """All that lies in none of some polygons."""

    polygons: tuple[Corners, ...]
    slack_m: float = 0.02

    def holds(self, x: float, y: float, margin_m: float, slack_m: float = ROUNDING_M) -> Opinion:
        """See `Closed`."""
        edge_m = min(_side_m(*side, x, y) for side in self._edges)
        return _holds(edge_m, not any(inside(one, x, y) for one in self.polygons), margin_m,
                      slack_m)

    @cached_property
    def _edges(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """The parts of the polygons' edges beyond which no other polygon lies."""
        found = []
        for number, corners in enumerate(self.polygons):
            others = self.polygons[:number] + self.polygons[number + 1:]
            for start, end in _sides(corners):
                cuts = sorted({0.0, 1.0, *(
                    cut for other in others for side in _sides(other)
                    for cut in _crossing(start, end, *side))})
                points = [(start[0] + (end[0] - start[0]) * cut,
                           start[1] + (end[1] - start[1]) * cut) for cut in cuts]
                for one, two in zip(points, points[1:], strict=False):
                    middle = (one[0] + two[0]) / 2, (one[1] + two[1]) / 2
                    if not any(inside(other, *middle) for other in others):
                        found.append((one, two))
        return found


def _holds(edge_m: float, within: bool, margin_m: float, slack_m: float) -> Opinion:
    if margin_m:
        return at_most(0.0 if within else edge_m, margin_m, slack_m)
    return None if edge_m <= slack_m else within


def _crossing(start: tuple[float, float], end: tuple[float, float], other: tuple[float, float],
              other_end: tuple[float, float]) -> list[float]:
    """Return where on a segment another one crosses it, as a share; none where none does."""
    x, y = end[0] - start[0], end[1] - start[1]
    u, v = other_end[0] - other[0], other_end[1] - other[1]
    cross = x * v - y * u
    if cross == 0.0:
        return []
    dx, dy = other[0] - start[0], other[1] - start[1]
    share, of_other = (dx * v - dy * u) / cross, (dx * y - dy * x) / cross
    return [share] if 0.0 < share < 1.0 and 0.0 <= of_other <= 1.0 else []


class Masked:
    """The cells of 100 of a keep-out mask, and all cells whose middle is so near to one's.

    From middle to middle it may be farther than from edge to edge, by the diagonal of a cell.
    Outside of the mask nothing is closed, but its closed cells keep their margin there too.
    """

    slack_m = 0.03

    def __init__(self, grid: Cells) -> None:
        """Take a mask."""
        self._grid = grid
        self._closed = [cell for cell in grid.all_cells() if grid.value(cell) == 100]
        self._known: dict[tuple[Cell, float], Opinion] = {}

    def holds(self, x: float, y: float, margin_m: float, slack_m: float = ROUNDING_M) -> Opinion:
        """See `Closed`."""
        return one_voice(self._cell_is_closed(self._grid.cell(x + dx * slack_m, y + dy * slack_m),
                                              margin_m)
                         for dx in (-1, 0, 1) for dy in (-1, 0, 1))

    def _cell_is_closed(self, cell: Cell, margin_m: float) -> Opinion:
        if (cell, margin_m) not in self._known:
            edge_m = self._grid.resolution_m
            far_m = min((math.hypot(cell[0] - row, cell[1] - column) * edge_m
                         for row, column in self._closed), default=math.inf)
            self._known[cell, margin_m] = at_most(far_m, (
                margin_m + edge_m * math.sqrt(2.0)) if margin_m else edge_m / 2)
        return self._known[cell, margin_m]
