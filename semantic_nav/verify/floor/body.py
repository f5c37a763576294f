"""Collision check of a footprint of any shape over map and costmap: poses, paths and turns.

A costmap tells collisions of a round robot only. Those of corners depend on the heading.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.footprint import Footprint
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import LETHAL, OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.contracts.vocabulary import Code

#: Spacing of the samples of a footprint, as a share of a cell: each cell whose centre it covers
#: gets a sample.
_APART = 0.4
#: Largest motion of the body between two checked poses of a path or turn, as a share of a cell.
MOVED = 0.5
#: Look-ahead of the heading along a path, in m. It smooths paths that follow cells.
_AHEAD_M = 0.1
#: Angle between heading and path above which the robot turns on the spot first, in rad, as
#: regulated pure pursuit does. Below it turns while it drives.
TURN_FIRST_RAD = 0.785
#: Number of headings tried where any heading will do.
_HEADINGS = 8

Points = NDArray[np.float64]


@dataclass(frozen=True)
class Met:
    """The first collision or unknown cell under the body.

    Attributes:
        x, y: position in the map frame, in m.
        code: COLLISION_DETECTED or UNKNOWN_SPACE.
    """

    x: float
    y: float
    code: Code

    @property
    def words(self) -> str:
        """Kind and position, for people."""
        what = 'something' if self.code is Code.COLLISION_DETECTED else 'unknown floor'
        return f'{what} at ({self.x:.2f}, {self.y:.2f})'


@dataclass(frozen=True, eq=False)
class Body:
    """A footprint over map and costmap.

    Attributes:
        robot: current pose. Cells under it do not count in a motion: the robot leaves them.
    """

    footprint: Footprint
    map: OccupancyGrid
    costmap: OccupancyGrid
    robot: Pose2D | None = None

    def met_at(self, pose: Pose2D) -> Met | None:
        """First hit of the footprint at a goal pose; None for free floor.

        Cells under the robot now count too, because it is to stay there.
        """
        if self._is_all_free(pose):
            return None
        return self._met(_placed(filled(self.footprint, self._apart_m), _row_of(pose)))

    def met_at_any_heading(self, x: float, y: float) -> Met | None:
        """A hit at a point if no heading is free; None if at least one is."""
        found = None
        for index in range(_HEADINGS):
            found = self.met_at(Pose2D(x, y, index * math.tau / _HEADINGS))
            if found is None:
                return None
        return found

    def room_in(self, window: tuple[slice, slice]) -> NDArray[np.bool_]:
        """Cells of a window of the costmap in which it can turn to about any heading.

        Args:
            window: rows and columns.

        Returns:
            Mask in the shape of the window.
        """
        reach = math.ceil(self.footprint.circumscribed_m / self.costmap.resolution_m) + 1
        top, left = (max(0, part.start - reach) for part in window)
        cells = self.costmap.cells[top:window[0].stop + reach, left:window[1].stop + reach]
        free = (cells > UNKNOWN) & (cells < LETHAL)
        room: NDArray[np.bool_] = free if free.all() else ndimage.distance_transform_edt(
            free, sampling=self.costmap.resolution_m) > self.footprint.circumscribed_m
        return room[window[0].start - top:, window[1].start - left:][
            :window[0].stop - window[0].start, :window[1].stop - window[1].start]

    def has_room(self, pose: Pose2D) -> bool:
        """Tell whether it can turn to about any heading at a pose."""
        row, column = self.costmap.cell_of(pose.x, pose.y)
        return self.costmap.contains(row, column) and bool(self.room_in(
            (slice(row, row + 1), slice(column, column + 1))).all())

    def met_turning(self, pose: Pose2D, turn_rad: float) -> Met | None:
        """First hit in a turn on the spot; None for a free turn.

        Args:
            pose: where the turn begins.
            turn_rad: positive to the left.
        """
        ends = [(pose.x, pose.y, pose.yaw), (pose.x, pose.y, pose.yaw + turn_rad)]
        return self._met_moving(self._close_together(np.array(ends)))

    def met_passing(self, pose: Pose2D) -> Met | None:
        """First hit at a pose on its way; cells under the robot now do not count."""
        return self._met_moving(_row_of(pose))

    def met_along(self, points: Points) -> Met | None:
        """First hit along a path; None for a free path.

        Args:
            points: of the path in the map frame, in m, shape (n, 2).
        """
        if len(points) < 2:
            return None
        points = self._close_together(points)
        poses = np.column_stack([points, np.unwrap(headings_along(points))])
        return self._met_moving(self._close_together(poses))

    def _is_all_free(self, pose: Pose2D) -> bool:
        """Tell whether all cells round a pose are free, which mostly saves the exact check."""
        reach_m = self.footprint.circumscribed_m
        return _is_free(self.costmap, pose, reach_m, LETHAL) and (
            _is_free(self.map, pose, reach_m, OCCUPIED))

    @property
    def _cell_m(self) -> float:
        return min(self.map.resolution_m, self.costmap.resolution_m)

    @property
    def _apart_m(self) -> float:
        return _APART * self._cell_m

    def _close_together(self, rows: Points) -> Points:
        return close_together(rows, MOVED * self._cell_m, self.costmap.diagonal_m,
                              self.footprint.circumscribed_m)

    def _met_moving(self, poses: Points) -> Met | None:
        # Anything that the body newly covers after the first pose crosses its outline.
        return self._met(np.concatenate([
            _placed(filled(self.footprint, self._apart_m), poses[:1]),
            _placed(outline(self.footprint, self._apart_m), poses[1:])]), moving=True)

    def _met(self, points: Points, *, moving: bool = False) -> Met | None:
        """First hit under some points of the body; a collision goes before unknown floor."""
        x, y = points[:, 0], points[:, 1]
        cost, occupancy = self.costmap.values_at(x, y), self.map.values_at(x, y)
        for code, found in (
                (Code.COLLISION_DETECTED, (cost >= LETHAL) | (occupancy >= OCCUPIED)),
                (Code.UNKNOWN_SPACE, (cost == UNKNOWN) | (occupancy == UNKNOWN))):
            hits = points[found]
            if moving and len(hits):
                hits = hits[~self._is_under_now(hits)]
            if len(hits):
                return Met(float(hits[0, 0]), float(hits[0, 1]), code)
        return None

    def _is_under_now(self, points: Points) -> NDArray[np.bool_]:
        """Mask of the points in cells that the robot covers where it stands."""
        if self.robot is None:
            return np.zeros(len(points), bool)
        now = _placed(filled(self.footprint, self._apart_m), _row_of(self.robot))
        return np.isin(self._cells_of(points), self._cells_of(now))

    def _cells_of(self, points: Points) -> NDArray[np.int64]:
        grid = self.costmap
        cells = np.floor((points - (grid.origin_x_m, grid.origin_y_m)) / grid.resolution_m)
        numbers: NDArray[np.int64] = cells.astype(np.int64) @ np.array([1, 1 << 32])
        return numbers


def close_together(rows: Points, moved_m: float, most_m: float, reach_m: float = 0.0) -> Points:
    """Points or poses, with more put between them so that a body skips no obstacle.

    Args:
        rows: x, y and perhaps yaw, shape (n, 2) or (n, 3), n at least 2.
        moved_m: largest motion of any part of the body from one row to the next.
        most_m: largest step that is divided; a longer one leaves the costmap and is refused.
        reach_m: radius of the body round its middle.
    """
    steps = np.diff(rows, axis=0)
    along_m = np.sqrt((steps[:, :2] * steps[:, :2]).sum(axis=1))
    turned_m = np.abs(steps[:, 2:]).sum(axis=1) * reach_m
    lengths_m = np.minimum(along_m, most_m) + turned_m
    counts = np.maximum(np.ceil(lengths_m / moved_m).astype(int), 1)
    first = np.cumsum(counts) - counts
    share = (np.arange(counts.sum()) - np.repeat(first, counts)) / np.repeat(counts, counts)
    along = rows[:-1].repeat(counts, axis=0) + steps.repeat(counts, axis=0) * share[:, None]
    return np.concatenate([along, rows[-1:]])


def headings_along(points: Points) -> NDArray[np.float64]:
    """Heading in rad at each point of a path that is driven forwards, shape (n,)."""
    if len(points) < 2:
        return np.zeros(0)
    steps = np.diff(points, axis=0)
    lengths_m = np.concatenate(([0.0], np.cumsum(np.sqrt((steps * steps).sum(axis=1)))))
    last = len(points) - 1
    ahead = np.searchsorted(lengths_m, lengths_m + _AHEAD_M).clip(1, last)
    behind = np.minimum(np.arange(len(points)), np.searchsorted(
        lengths_m, lengths_m[ahead] - _AHEAD_M, 'right') - 1).clip(0, last - 1)
    way = points[ahead] - points[behind]
    headings: NDArray[np.float64] = np.arctan2(way[:, 1], way[:, 0])
    return headings


@lru_cache(maxsize=8)
def outline(footprint: Footprint, apart_m: float) -> Points:
    """Points along the outline, at most `apart_m` apart, in base_link, shape (n, 2)."""
    ring = shapely.segmentize(footprint.polygon.exterior, apart_m)
    points: Points = shapely.get_coordinates(ring)[:-1]
    return points


@lru_cache(maxsize=8)
def filled(footprint: Footprint, apart_m: float) -> Points:
    """Points on the outline and inside it, in base_link, shape (n, 2)."""
    x0, y0, x1, y1 = footprint.polygon.bounds
    x, y = (np.linspace(low, high, math.ceil((high - low) / apart_m) + 1)
            for low, high in ((x0, x1), (y0, y1)))
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    within = shapely.contains_xy(footprint.polygon, points)
    return np.concatenate([outline(footprint, apart_m), points[within]])


def _row_of(pose: Pose2D) -> Points:
    return np.array([(pose.x, pose.y, pose.yaw)])


def _placed(points: Points, poses: Points) -> Points:
    """Points transformed from base_link to the map frame, for one pose after the other.

    Args:
        points: shape (n, 2).
        poses: x, y, yaw, shape (m, 3).
    """
    x, y, yaw = poses[:, 0, None], poses[:, 1, None], poses[:, 2, None]
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.stack([(x + cos * points[:, 0] - sin * points[:, 1]).ravel(),
                     (y + sin * points[:, 0] + cos * points[:, 1]).ravel()], axis=1)


def _is_free(grid: OccupancyGrid, pose: Pose2D, reach_m: float, least: int) -> bool:
    """Tell whether all cells round a pose are known and below a value."""
    top, left = grid.cell_of(pose.x - reach_m, pose.y - reach_m)
    bottom, right = grid.cell_of(pose.x + reach_m, pose.y + reach_m)
    if not (grid.contains(top, left) and grid.contains(bottom, right)):
        return False
    cells = grid.cells[top:bottom + 1, left:right + 1]
    return bool(cells.min() > UNKNOWN and cells.max() < least)
