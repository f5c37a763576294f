"""A costmap of static map, obstacles from scans, and inflation, with Nav2's values.

This is the global one. `rolling_costmap.py` derives the local one from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.footprint import Footprint
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.map_file import FREE, OCCUPIED
from semantic_nav_sim.navigator.footprint import covered
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.inflation import INSCRIBED, LETHAL, Inflation

FREE_SPACE, NO_INFORMATION = 0, 255
MARK_RANGE_M = 2.5
CLEAR_RANGE_M = 3.0
# Largest offset of two grids that share their cells, in cells.
_SAME_CELL = 0.01


def _occupancy_of_cost() -> NDArray[np.int8]:
    table = np.zeros(256, dtype=np.int8)
    table[1:INSCRIBED] = 1 + (97 * (np.arange(1, INSCRIBED) - 1)) // 251
    table[INSCRIBED], table[LETHAL], table[NO_INFORMATION] = 99, 100, -1
    return table


#: int8[256]: each cost as costmap_2d_publisher writes it into an OccupancyGrid.
OCCUPANCY_OF_COST = _occupancy_of_cost()


@dataclass(frozen=True)
class Window:
    """A rectangle of cells: rows row0..row1-1, columns col0..col1-1."""

    row0: int
    row1: int
    col0: int
    col1: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """Index of the rectangle in a grid."""
        return slice(self.row0, self.row1), slice(self.col0, self.col1)

    @property
    def size(self) -> int:
        """Number of cells."""
        return (self.row1 - self.row0) * (self.col1 - self.col0)

    def grown(self, cells: int, shape: tuple[int, int]) -> Window:
        """The rectangle with a margin on each side, cut at the grid's edge."""
        return Window(max(self.row0 - cells, 0), min(self.row1 + cells, shape[0]),
                      max(self.col0 - cells, 0), min(self.col1 + cells, shape[1]))

    def moved(self, rows: int, cols: int) -> Window:
        """The rectangle moved by some rows and columns."""
        return Window(self.row0 + rows, self.row1 + rows, self.col0 + cols, self.col1 + cols)

    def within(self, other: Window) -> tuple[slice, slice]:
        """Index of the rectangle in the cells of a larger one."""
        return self.moved(-other.row0, -other.col0).slices

    def union(self, other: Window) -> Window:
        """The smallest rectangle around both."""
        return Window(min(self.row0, other.row0), max(self.row1, other.row1),
                      min(self.col0, other.col0), max(self.col1, other.col1))


class Costmap:
    """Global costmap of the planner.

    Args:
        occupancy: The static map.
        robot_radius_m: Inscribed radius: cells nearer to an obstacle are INSCRIBED [m].
        inflation_radius_m: Distance up to which an obstacle raises the cost [m].
        cost_scaling: Decay of the cost beyond the robot's radius [1/m].
        footprint: Of a base that is not round; its inscribed radius replaces the robot's.

    Attributes:
        cost: uint8[height, width], row 0 at the smallest y.
        clearance_m: float32[height, width], distance to the centre of the nearest lethal cell.
        current: Whether a scan came since obstacles were cleared; always True without scans.
        shape: Rows and columns.
        resolution_m, origin_x, origin_y: Geometry of the grid in the global frame [m].
    """

    #: True if everything beyond the grid is an obstacle.
    _closed = True
    _geometry: tuple[float, float, float, tuple[int, int]] | None = None
    _static: NDArray[np.uint8]

    def __init__(self, occupancy: OccupancyGrid, robot_radius_m: float,
                 inflation_radius_m: float, cost_scaling: float,
                 footprint: Footprint | None = None) -> None:
        self.footprint = footprint
        self.robot_radius_m = (
            robot_radius_m if footprint is None else footprint.inscribed_m)
        self._cost_scaling = cost_scaling
        self._inflation_radius_m = max(inflation_radius_m, self.robot_radius_m)
        self._changed: Window | None = None
        self.current, self._has_scans = True, False
        self.set_map(occupancy)

    def set_map(self, occupancy: OccupancyGrid) -> None:
        """Replace the static map; obstacles are kept if both grids share their cells."""
        shape = (int(occupancy.cells.shape[0]), int(occupancy.cells.shape[1]))
        geometry = (occupancy.resolution_m, occupancy.origin_x_m, occupancy.origin_y_m, shape)
        static = np.full(shape, NO_INFORMATION, dtype=np.uint8)
        static[occupancy.cells == FREE] = FREE_SPACE
        static[occupancy.cells == OCCUPIED] = LETHAL
        if geometry == self._geometry:
            changed = _window_of(static != self._static)
            self._static = static
            if changed is not None:
                self._inflate(changed)
            return
        obstacles = self._moved_obstacles(occupancy)
        self._geometry, self._static = geometry, static
        self.resolution_m, self.origin_x, self.origin_y, self.shape = geometry
        self._inflation = Inflation(self.robot_radius_m, self._inflation_radius_m,
                                    self._cost_scaling, self.resolution_m)
        self._obstacles = obstacles
        self._layered = np.full(shape, NO_INFORMATION, dtype=np.uint8)
        self.cost = np.zeros(shape, dtype=np.uint8)
        self.clearance_m = np.zeros(shape, dtype=np.float32)
        self._squares = np.zeros(shape, dtype=np.int32)
        # It refers to the cells of the old grid.
        self._changed = None
        self._inflate(self.everything, anew=True)

    def _moved_obstacles(self, occupancy: OccupancyGrid) -> NDArray[np.uint8]:
        """The obstacles on another grid; none if the grids do not share their cells."""
        moved: NDArray[np.uint8] = np.full(
            occupancy.cells.shape, NO_INFORMATION, dtype=np.uint8)
        if self._geometry is None or self.resolution_m != occupancy.resolution_m:
            return moved
        shift = np.array([self.origin_y - occupancy.origin_y_m,
                          self.origin_x - occupancy.origin_x_m])
        shift /= self.resolution_m
        if np.abs(shift - np.rint(shift)).max() > _SAME_CELL:
            return moved
        rows, cols = (np.arange(count) + round(by)
                      for count, by in zip(self.shape, shift.tolist(), strict=True))
        row_stays = (rows >= 0) & (rows < moved.shape[0])
        col_stays = (cols >= 0) & (cols < moved.shape[1])
        moved[np.ix_(rows[row_stays], cols[col_stays])] = (
            self._obstacles[np.ix_(row_stays, col_stays)])
        return moved

    @property
    def everything(self) -> Window:
        """The whole grid."""
        return Window(0, self.shape[0], 0, self.shape[1])

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column of a point in the global frame [m]; None outside the grid."""
        if not (math.isfinite(x) and math.isfinite(y)):
            return None
        row = math.floor((y - self.origin_y) / self.resolution_m)
        col = math.floor((x - self.origin_x) / self.resolution_m)
        return (row, col) if 0 <= row < self.shape[0] and 0 <= col < self.shape[1] else None

    def centre(self, row: int, col: int) -> tuple[float, float]:
        """Centre of a cell in the global frame [m]."""
        return (self.origin_x + (col + 0.5) * self.resolution_m,
                self.origin_y + (row + 0.5) * self.resolution_m)

    def clearance_at(self, x: float, y: float) -> float:
        """Distance from a point to the nearest obstacle [m]; 0 outside the map."""
        where = self.cell(x, y)
        if where is None:
            return 0.0 if self._closed else float(self._inflation.clearance_m[-1])
        return float(self.clearance_m[where])

    def lethal_at(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Mask of the points on lethal cells or outside the map.

        Args:
            points: float[..., 2], x and y in the global frame [m].
        """
        cells = np.floor((points - (self.origin_x, self.origin_y)) / self.resolution_m)
        cols, rows = cells[..., 0].astype(np.int64), cells[..., 1].astype(np.int64)
        inside = (rows >= 0) & (rows < self.shape[0]) & (cols >= 0) & (cols < self.shape[1])
        cost = self.cost[rows.clip(0, self.shape[0] - 1), cols.clip(0, self.shape[1] - 1)]
        lethal: NDArray[np.bool_] = np.where(inside, cost == LETHAL, self._closed)
        return lethal

    def around(self, pose: Pose, half_m: float = MARK_RANGE_M) -> Window:
        """The square of cells around a pose, cut at the grid's edge."""
        col = round((pose.x - self.origin_x) / self.resolution_m)
        row = round((pose.y - self.origin_y) / self.resolution_m)
        half = math.ceil(half_m / self.resolution_m)
        rows, cols = self.shape
        row0, col0 = min(max(row - half, 0), rows), min(max(col - half, 0), cols)
        return Window(row0, max(min(row + half + 1, rows), row0),
                      col0, max(min(col + half + 1, cols), col0))

    def clear(self) -> None:
        """Forget every obstacle that is not in the static map."""
        self.current = not self._has_scans
        self._obstacles[:] = NO_INFORMATION
        self._inflate(self.everything)

    def clear_except(self, robot: Pose, reset_m: float) -> None:
        """Clear obstacles outside a square round the robot, as ClearCostmapExceptRegion does.

        Args:
            robot: Its pose in the costmap's frame.
            reset_m: Edge of the square [m].
        """
        kept = self.around(robot, 0.5 * reset_m).slices
        obstacles = self._obstacles[kept].copy()
        self.clear()
        self._obstacles[kept] = obstacles
        self._inflate(self.everything)

    def see(self, sensor: Pose, robot: Pose, bearings_rad: NDArray[np.float64],
            ranges_m: NDArray[np.float64], range_min_m: float,
            range_max_m: float) -> None:
        """Take in a scan: clear along each ray, then mark its end.

        Args:
            sensor: Pose of the sensor in the global frame.
            robot: Pose of the robot, whose footprint is cleared.
            bearings_rad: float[n], bearing of each ray in the sensor's frame [rad].
            ranges_m: float[n], range of each ray [m]; infinite for no return.
            range_min_m, range_max_m: Ranges outside these mark nothing; too short ones and NaN are
                ignored, too long ones clear.
        """
        self.current = self._has_scans = True
        window = self.around(sensor, CLEAR_RANGE_M + self.resolution_m)
        before = self._obstacles[window.slices].copy()
        usable = ranges_m >= range_min_m
        angles = sensor.yaw + bearings_rad[usable]
        ranges = np.minimum(ranges_m[usable], CLEAR_RANGE_M)
        cos, sin = np.cos(angles), np.sin(angles)
        # Steps of half a cell: longer ones would skip the corners of some cells and leave their
        # marks.
        steps = np.arange(0.0, CLEAR_RANGE_M, 0.5 * self.resolution_m)
        free = steps[None, :] < ranges[:, None] - self.resolution_m
        self._set(sensor.x + (cos[:, None] * steps)[free],
                  sensor.y + (sin[:, None] * steps)[free], FREE_SPACE)
        hit = ranges <= min(MARK_RANGE_M, range_max_m)
        self._set(sensor.x + (cos * ranges)[hit], sensor.y + (sin * ranges)[hit], LETHAL)
        self._clear_footprint(robot)
        changed = _window_of(before != self._obstacles[window.slices])
        if changed is not None:
            self._inflate(changed.moved(window.row0, window.col0))

    def take_changed(self) -> Window | None:
        """The window of all changes since the last call; None for no change."""
        changed, self._changed = self._changed, None
        return changed

    def _set(self, x: NDArray[np.float64], y: NDArray[np.float64], value: int) -> None:
        cols = np.floor((x - self.origin_x) / self.resolution_m).astype(np.int32)
        rows = np.floor((y - self.origin_y) / self.resolution_m).astype(np.int32)
        if len(rows) and not (rows.min() >= 0 and rows.max() < self.shape[0]
                              and cols.min() >= 0 and cols.max() < self.shape[1]):
            inside = (rows >= 0) & (rows < self.shape[0]) & (cols >= 0) & (cols < self.shape[1])
            rows, cols = rows[inside], cols[inside]
        self._obstacles.ravel()[rows * np.int32(self.shape[1]) + cols] = value

    def _clear_footprint(self, robot: Pose) -> None:
        window = self._beneath(robot)
        self._obstacles[window.slices][self._under(robot, window)] = FREE_SPACE

    def _beneath(self, robot: Pose) -> Window:
        """A window that holds all cells that the robot covers."""
        reach_m = (self.robot_radius_m if self.footprint is None
                   else self.footprint.circumscribed_m)
        return self.around(robot, reach_m + self.resolution_m)

    def _under(self, robot: Pose, window: Window, margin_m: float = 0.0) -> NDArray[np.bool_]:
        """Mask of the cells of a window that the robot covers by more than a margin [m]."""
        x = self.origin_x + (np.arange(window.col0, window.col1) + 0.5) * self.resolution_m
        y = self.origin_y + (np.arange(window.row0, window.row1) + 0.5) * self.resolution_m
        if self.footprint is not None:
            return covered(self.footprint, robot, *np.meshgrid(x, y), margin_m)
        under: NDArray[np.bool_] = (np.hypot(x[None, :] - robot.x, y[:, None] - robot.y)
                                    <= self.robot_radius_m - margin_m)
        return under

    def _sensed(self, window: Window) -> NDArray[np.uint8]:
        """The sensed obstacles in a window."""
        return self._obstacles[window.slices]

    def _inflate(self, window: Window, *, anew: bool = False) -> None:
        """Recompute cost and clearance where the layers of a window have changed.

        Args:
            window: Cells that may have changed.
            anew: True to recompute all of them.
        """
        static, obstacles = self._static[window.slices], self._sensed(window)
        # As in Nav2: the higher cost of both layers counts, and sensed values replace unknown
        # ones.
        layered = np.where(obstacles == NO_INFORMATION, static, np.where(
            static == NO_INFORMATION, obstacles, np.maximum(static, obstacles)))
        before = self._layered[window.slices]
        changed = _window_of((layered != before) | anew)
        if changed is None:
            return
        moved = _window_of(((layered == LETHAL) != (before == LETHAL)) | anew)
        self._layered[window.slices] = layered
        touched = changed.moved(window.row0, window.col0)
        if moved is not None:
            reach = self._inflation.reach
            near = moved.moved(window.row0, window.col0).grown(reach, self.shape)
            wide = near.grown(reach, self.shape)
            squares = self._inflation.squares(self._layered[wide.slices] == LETHAL)
            self._squares[near.slices] = squares[near.within(wide)]
            self.clearance_m[near.slices] = self._inflation.clearance_m[self._squares[near.slices]]
            touched = touched.union(near)
        cost = self._inflation.cost[self._squares[touched.slices]]
        unknown = (self._layered[touched.slices] == NO_INFORMATION) & (cost < INSCRIBED)
        cost[unknown] = NO_INFORMATION
        self.cost[touched.slices] = cost
        self._changed = touched.union(self._changed) if self._changed else touched


def _window_of(cells: NDArray[np.bool_]) -> Window | None:
    """Return the smallest window around some cells of an array; None for no cells."""
    rows, cols = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    if not len(rows):
        return None
    return Window(int(rows[0]), int(rows[-1]) + 1, int(cols[0]), int(cols[-1]) + 1)
