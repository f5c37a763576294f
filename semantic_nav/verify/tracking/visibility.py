"""Visibility of a target from a place, by the map: in view, or behind a wall."""

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.verify.floor.surroundings import Surroundings

#: Distance to the target below which the map may be free again, in m: the grounding is not exact.
_TARGET_SLACK_M = 0.2
#: Radius round the target within which floor must connect its sides, as round a table, in m.
_ROUND_M = 2.0
#: Area below which connected floor is only a gap between chairs, in m2.
_GAP_M2 = 0.1
_Point = tuple[float, float]


class SeenSide:
    """The side from which a target was seen.

    On the map a wall right behind a target looks like a table under it. But near the target a
    robot gets round a table, and not round a wall.
    """

    def __init__(self, surroundings: Surroundings, target: _Point, seen_from: _Point) -> None:
        """Take the target and the floor round it.

        Args:
            surroundings: with map and costmap.
            target: x and y in the map frame.
            seen_from: x and y of the robot when it saw the target.
        """
        assert surroundings.map is not None and surroundings.floor is not None
        self._map, self._floor = surroundings.map, surroundings.floor
        self._target, self._seen_from = target, seen_from

    def shows(self, place: _Point) -> bool:
        """Tell whether the target is in view from a place too, given in m in the map frame.

        On the line from there the map may be free and then occupied, by the table that carries the
        target. Occupied and free again is a wall or another piece of furniture.
        """
        occupied = self._occupied_from(place)
        if not occupied.any():
            return True
        slack = _TARGET_SLACK_M / max(math.dist(place, self._target), _TARGET_SLACK_M)
        before = occupied[:max(1, math.ceil(len(occupied) * (1.0 - slack)))]
        met = before.argmax()
        return bool(not before[met] or before[met:].all()) and not self._is_apart(place)

    def is_beyond(self, place: _Point) -> bool:
        """Tell whether a place lies behind an obstacle without a short way round."""
        return bool(self._occupied_from(place).any()) and self._is_apart(place)

    def _occupied_from(self, place: _Point) -> NDArray[np.bool_]:
        return self._map.values_at(*_line(place, self._target, self._map)) >= OCCUPIED

    def _is_apart(self, place: _Point) -> bool:
        floor = self._floor_towards(place)
        return self._seen > 0 and floor > 0 and floor != self._seen

    @cached_property
    def _seen(self) -> int:
        return self._floor_towards(self._seen_from)

    @cached_property
    def _floors(self) -> tuple[NDArray[np.int32], int, int]:
        """Labels of the floor round the target, with the first row and column of that window."""
        costmap = self._floor.costmap
        row, column = costmap.cell_of(*self._target)
        reach = math.ceil(_ROUND_M / costmap.resolution_m)
        top, left = max(0, row - reach), max(0, column - reach)
        window = self._floor.cells[top:max(0, row + reach + 1), left:max(0, column + reach + 1)]
        return _labels(window, _GAP_M2 / costmap.resolution_m**2), top, left

    def _floor_towards(self, place: _Point) -> int:
        """Label of the floor next to the target towards a place; 0 for none near by."""
        costmap, (floors, top, left) = self._floor.costmap, self._floors
        rows, columns, inside = costmap.cells_of(*_line(self._target, place, costmap))
        rows, columns = rows - top, columns - left
        height, width = floors.shape
        near = inside & (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        met = floors[rows[near], columns[near]]
        return int(next(iter(met[met > 0]), 0))


def _labels(floor: NDArray[np.bool_], least_cells: float) -> NDArray[np.int32]:
    """Label of the connected floor of each cell, from 1; 0 for none."""
    labels, _ = ndimage.label(floor, np.ones((3, 3)))
    large = np.bincount(labels.ravel(), minlength=1) >= least_cells
    large[0] = False
    numbers: NDArray[np.int32] = np.where(large[labels], labels, 0)
    return numbers


def _line(start: _Point, end: _Point, grid: OccupancyGrid,
          ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x and y of points from start to end, two for each cell of a grid."""
    # The sum of rows and columns bounds the cells on a line of any length.
    steps = math.ceil(min(math.dist(start, end) / grid.resolution_m, sum(grid.shape)) * 2)
    share = np.linspace(0.0, 1.0, steps + 1)
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
