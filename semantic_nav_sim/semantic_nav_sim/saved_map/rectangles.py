"""Cells of a map as rectangles: obstacles as few boxes, floor as rooms."""

import math
from dataclasses import dataclass

import numpy as np

from semantic_nav.contracts.grid import Mask, OccupancyGrid

#: Least floor of a room, and the floor above which it is cut, in m².
_ROOM_M2, _LARGE_M2 = 5.0, 25.0
#: Least width of a room, in metres.
_NARROW_M = 1.5
#: Largest share of the floor's width that a cut along a wall may cross.
_DOOR_SHARE = 0.4
#: Most rooms of a world; the rooms of a large building are larger.
_MOST_ROOMS = 60


@dataclass(frozen=True)
class Rectangle:
    """A rectangle along the cells of a map: its corners in metres, in the map frame."""

    low: tuple[float, float]
    high: tuple[float, float]

    def window(self, grid: OccupancyGrid) -> tuple[slice, slice]:
        """The cells of the rectangle as rows and columns."""
        half = grid.resolution_m / 2
        first = grid.cell_of(self.low[0] + half, self.low[1] + half)
        last = grid.cell_of(self.high[0] - half, self.high[1] - half)
        return slice(first[0], last[0] + 1), slice(first[1], last[1] + 1)


def rectangles_of(grid: OccupancyGrid, cells: Mask) -> list[Rectangle]:
    """Disjoint rectangles that cover exactly some cells."""
    found, under_way = [], dict[tuple[int, int], int]()
    edges = np.diff(np.pad(cells, ((0, 1), (1, 1))).astype(np.int8), axis=1)
    for row, line in enumerate(edges):
        runs = set(zip(np.flatnonzero(line > 0).tolist(), np.flatnonzero(line < 0).tolist(),
                       strict=True))
        for run in [run for run in under_way if run not in runs]:
            found.append(_rectangle(grid, (under_way.pop(run), row), run))
        for run in sorted(runs - under_way.keys()):
            under_way[run] = row
    return found


def rooms_of(grid: OccupancyGrid, floor: Mask) -> list[Rectangle]:
    """Rectangles that cover all floor, cut along the walls, where little floor continues."""
    left, rooms = [_trimmed(floor, (slice(0, grid.shape[0]), slice(0, grid.shape[1])))], []
    while left:
        left.sort(key=lambda window: int(floor[window].sum()))
        window = left.pop()
        parts = _cut(floor, window, grid.resolution_m) if (
            len(left) + len(rooms) + 2 <= _MOST_ROOMS) else ()
        if parts:
            left += parts
        else:
            rooms.append(window)
    return [_rectangle(grid, (rows.start, rows.stop), (columns.start, columns.stop))
            for rows, columns in sorted(rooms, key=lambda one: (one[0].start, one[1].start))]


def _rectangle(grid: OccupancyGrid, rows: tuple[int, int],
               columns: tuple[int, int]) -> Rectangle:
    x, y, edge = grid.origin_x_m, grid.origin_y_m, grid.resolution_m
    return Rectangle((x + columns[0] * edge, y + rows[0] * edge),
                     (x + columns[1] * edge, y + rows[1] * edge))


def _trimmed(floor: Mask, window: tuple[slice, slice]) -> tuple[slice, slice]:
    """The part of a window with floor, and a margin of one cell for the wall."""
    sides = []
    for axis, side in enumerate(window):
        held = np.flatnonzero(floor[window].any(axis=1 - axis))
        sides.append(slice(max(side.start, side.start + int(held[0]) - 1),
                           min(side.stop, side.start + int(held[-1]) + 2)))
    return sides[0], sides[1]


def _cut(floor: Mask, window: tuple[slice, slice],
         edge_m: float) -> tuple[tuple[slice, slice], ...]:
    """The two parts of a window, cut where it crosses least floor; none if it is a room."""
    inside = floor[window]
    area_m2 = int(inside.sum()) * edge_m ** 2
    narrow, least = math.ceil(_NARROW_M / edge_m), _ROOM_M2 / edge_m ** 2
    best: tuple[float, int, int] | None = None
    for axis in (0, 1):
        lines = inside.sum(axis=1 - axis)
        before = np.cumsum(lines)
        for at in range(narrow, len(lines) - narrow + 1):
            if min(before[at - 1], before[-1] - before[at - 1]) >= least:
                share = float(lines[at - 1]) / (before[-1] / len(lines))
                best = min(best or (math.inf, 0, 0), (share, axis, at))
    if best is None or (best[0] > _DOOR_SHARE and area_m2 <= _LARGE_M2):
        return ()
    _, axis, at = best
    side = window[axis]
    middle = side.start + at
    parts = (slice(side.start, middle), slice(middle, side.stop))
    return tuple(_trimmed(floor, (part, window[1]) if axis == 0 else (window[0], part))
                 for part in parts)
