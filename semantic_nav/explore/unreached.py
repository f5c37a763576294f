"""Known floor that was not looked at and is out of reach now."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OCCUPIED, Mask, OccupancyGrid
from semantic_nav.explore.coarse_field import ways_from
from semantic_nav.explore.distance_field import distance_field, nearest_open
from semantic_nav.explore.policy import ExplorationPolicy, Search
from semantic_nav.explore.regions import regions_of

#: Least area of a part, in m2: the edge of clear floor wavers by a cell or two.
_LEAST_PART_M2 = 0.5
#: Area below which floor without a known way is a corner behind furniture, in m2.
_NOOK_M2 = 1.0
#: Largest distance from the robot's cell to the nearest cell of known floor, in m.
_START_SHIFT_M = 0.5
#: Least and greatest distance for a look at a blockage, in m: in reach of every sensor.
_LOOK_FROM_M = (0.9, 2.0)
#: Approximate angle at the blockage between its first look and its second, in rad.
_ASIDE_RAD = math.radians(60)
#: Extent of the obstacle at a blockage, in m: nothing else may hide it.
_BLOCKAGE_M = 0.4
#: Distance of the obstacle behind the last clear cell, in m.
_BEHIND_M = 0.4
#: Radius round a postponed pose that is postponed with it, in m.
_NEAR_M = 0.5
#: Number of views that are compared; many lie in one part.
_VIEWS = 100_000


@dataclass(frozen=True)
class Clearance:
    """Distances from obstacles that the middle of the robot must keep, in m.

    Attributes:
        passing_m: to pass.
        standing_m: to be sent there.
    """

    passing_m: float
    standing_m: float


@dataclass(frozen=True)
class Blockage:
    """A place where a way is blocked.

    Attributes:
        at: x and y in the map frame, in m.
        look_from: poses before it that face it and where the robot may stand: one on the way, and
            one with a view from another side.
    """

    at: tuple[float, float]
    look_from: tuple[Pose2D, ...]


@dataclass(frozen=True)
class UnreachedPart:
    """Connected floor that is not reachable now, and is worth a look.

    Attributes:
        view: viewpoint from which it would be looked at first, in the map frame.
        area_m2: area of the floor; for postponed poses within reach, the gain of the view.
        way_m: length of the way to the view if nothing blocked it; infinite where none is known.
        blockage: blockage of the way; None where unknown, or where nothing blocks it now.
    """

    view: Pose2D
    area_m2: float
    way_m: float
    blockage: Blockage | None

    @property
    def is_nook(self) -> bool:
        """Tell whether it is a corner behind furniture, to which no door will open."""
        return math.isinf(self.way_m) and self.area_m2 < _NOOK_M2


def known_floor(grid: OccupancyGrid, reached: Mask, now: Mask, clearance: Clearance,
                closed: Mask | None = None) -> Mask:
    """Mask of the floor within reach if nothing blocked a way, in the shape of the map.

    It holds floor that was reachable at some time, and free floor of the map with enough room: a
    blockage may go away, and a pose may be wrong.

    Args:
        grid: the map.
        reached: cells to which a way led at some time.
        now: cells to which a way leads now.
        clearance: of the robot.
        closed: cells of closed floor, which nothing will open; None for none.
    """
    known = reached | now | (grid.free & (_clear_m(grid) > clearance.passing_m))
    return known if closed is None else known & ~closed


def blockage_before(grid: OccupancyGrid, known: Mask, now: Mask, robot: Pose2D, pose: Pose2D,
                    may_stand: Callable[[Pose2D], bool]) -> Blockage | None:
    """Blockage of the way to a pose; None where unknown, or where nothing blocks it.

    Args:
        grid: the map.
        known, now: see `known_floor`.
        robot: pose of the robot in the map frame.
        pose: end of the way in the map frame.
        may_stand: tells whether the robot may be sent to a pose.
    """
    row, column = grid.cell_of(pose.x, pose.y)
    if not grid.contains(row, column):
        return None
    return _blockage(grid, _ways_m(grid, known, now, robot), now, (row, column), may_stand)


def unreached_parts(search: Search, reached: Mask, postponed: Sequence[Pose2D],
                    clearance: Clearance, policy: ExplorationPolicy,
                    closed: Mask | None = None) -> tuple[UnreachedPart, ...]:
    """Parts of the known floor that a search leaves out, nearest first.

    They are what the policy would look at if all known floor (`known_floor`) were within reach.

    Args:
        search: current search; its `done` holds only viewpoints of looks.
        reached: cells to which a way led at some time, in the shape of the map.
        postponed: poses within reach that are left out for now, as where a drive failed lately;
            other floor within reach is left to the search.
        clearance: of the robot.
        policy: policy with which a search begins.
        closed: see `known_floor`.
    """
    grid, now = search.grid, np.isfinite(search.way_m)
    floor, known = grid.free, known_floor(grid, reached, now, clearance, closed)
    ways_m = _ways_m(grid, known, now, search.robot)
    parts, _ = ndimage.label(known & floor & ~now, np.ones((3, 3)))
    least = _LEAST_PART_M2 / grid.resolution_m**2
    sizes = np.bincount(parts.ravel())
    large = sizes >= least
    large[0] = False
    may_be_view = np.where(now, _near(grid, postponed),
                           large[parts] & (_clear_m(grid) > clearance.standing_m))
    far_m = np.float32(grid.diagonal_m)
    answer = policy.next_views(replace(
        search, way_m=np.where(may_be_view, np.minimum(ways_m, far_m), np.float32(np.inf)),
        bearing_hint_rad=None, views_wanted=_VIEWS,
        may_stand=lambda pose: _is_at(may_be_view, grid, pose) and (
            not _is_at(now, grid, pose) or search.may_stand(pose))))
    best: dict[int, UnreachedPart] = {}
    for view in answer.views:
        row, column = grid.cell_of(view.pose.x, view.pose.y)
        part = int(parts[row, column])
        if part not in best:
            area_m2 = float(sizes[part]) * grid.resolution_m**2 if part else view.gain_m2
            best[part] = UnreachedPart(
                view.pose, area_m2, float(ways_m[row, column]),
                _blockage(grid, ways_m, now, (row, column), search.may_stand))
    return tuple(sorted(best.values(), key=lambda part: (part.way_m, part.view.x, part.view.y)))


@lru_cache(maxsize=1)
def _clear_m(grid: OccupancyGrid) -> NDArray[np.float64]:
    """Distance from each cell to the nearest obstacle, in m; read only."""
    occupied = grid.cells >= OCCUPIED
    if not occupied.any():
        return np.full(grid.shape, np.inf)
    clear_m: NDArray[np.float64] = ndimage.distance_transform_edt(
        ~occupied, sampling=grid.resolution_m)
    return clear_m


def _ways_m(grid: OccupancyGrid, known: Mask, now: Mask, robot: Pose2D) -> NDArray[np.float32]:
    """Length of the way to each cell over known floor, in m, from a cell near the robot.

    Over much known floor it is the approximate length of `coarse_field`.
    """
    cell, shift = grid.cell_of(robot.x, robot.y), round(_START_SHIFT_M / grid.resolution_m)
    start = nearest_open(now, cell, shift)
    if start is None:
        start = nearest_open(known, cell, shift)
    ways_m = np.full(grid.shape, np.inf, np.float32)
    if start is None:
        return ways_m
    cells = known.copy()
    cells[start] = True
    # Most of a map may be margin.
    window, = ndimage.find_objects(cells.astype(np.int8))
    first = tuple(at - part.start for at, part in zip(start, window, strict=True))
    ways_m[window] = ways_from(regions_of(cells[window]), (first[0], first[1]),
                               grid.resolution_m).all_m
    return ways_m


def _near(grid: OccupancyGrid, poses: Sequence[Pose2D]) -> Mask:
    """Mask of the cells near one of some poses."""
    near = np.zeros(grid.shape, np.bool_)
    rows, columns = np.ogrid[:grid.shape[0], :grid.shape[1]]
    for pose in poses:
        row, column = grid.cell_of(pose.x, pose.y)
        near |= np.hypot(rows - row, columns - column) * grid.resolution_m <= _NEAR_M
    return near


def _is_at(cells: Mask, grid: OccupancyGrid, pose: Pose2D) -> bool:
    row, column = grid.cell_of(pose.x, pose.y)
    return grid.contains(row, column) and bool(cells[row, column])


def _blockage(grid: OccupancyGrid, ways_m: NDArray[np.float32], now: Mask, cell: tuple[int, int],
              may_stand: Callable[[Pose2D], bool]) -> Blockage | None:
    """Blockage where the way to a cell leaves the floor within reach; None for none."""
    way = _way_to(ways_m, cell)
    first = next((index for index, step in enumerate(way) if not now[step]), None)
    if not first:
        # No way is known, all of it is within reach, or nothing near the robot is.
        return None
    behind = min(first + round(_BEHIND_M / grid.resolution_m), len(way) - 1)
    at = grid.centre_of(*way[behind])
    back_m = _about(grid, now, way[first])
    on_way = _before(grid, back_m, ways_m, at, _LOOK_FROM_M[0], may_stand)
    aside = None if on_way is None else _from_aside(grid, back_m, at, on_way, may_stand)
    return Blockage(at, tuple(pose for pose in (on_way, aside) if pose is not None))


def _about(grid: OccupancyGrid, now: Mask, cell: tuple[int, int]) -> NDArray[np.float32]:
    """Length of the way from a blocked cell to the reachable cells round it, in m."""
    reach = math.ceil(2 * _LOOK_FROM_M[1] / grid.resolution_m)
    top, left = (max(0, at - reach) for at in cell)
    window = (slice(top, cell[0] + reach + 1), slice(left, cell[1] + reach + 1))
    back_m = np.full(grid.shape, np.inf, np.float32)
    back_m[window] = distance_field(now[window], (cell[0] - top, cell[1] - left),
                                    grid.resolution_m)
    return back_m


def _before(grid: OccupancyGrid, back_m: NDArray[np.float32], ways_m: NDArray[np.float32],
            at: tuple[float, float], away_m: float,
            may_stand: Callable[[Pose2D], bool]) -> Pose2D | None:
    """Pose at a distance before a blockage that the robot reaches soonest; None for none."""
    rows, columns = np.nonzero(np.abs(back_m - (away_m - _BEHIND_M)) <= grid.resolution_m)
    for index in np.lexsort((columns, rows, ways_m[rows, columns])):
        x, y = grid.centre_of(int(rows[index]), int(columns[index]))
        pose = Pose2D(x, y, math.atan2(at[1] - y, at[0] - x))
        if may_stand(pose):
            return pose
    return None


def _from_aside(grid: OccupancyGrid, back_m: NDArray[np.float32], at: tuple[float, float],
                other: Pose2D, may_stand: Callable[[Pose2D], bool]) -> Pose2D | None:
    """Pose with the best view of a blockage from another side than a first pose; None for none.

    A door leaf in a doorway is hidden from most places by the wall beside it.
    """
    rows, columns = np.nonzero(back_m <= _LOOK_FROM_M[1])
    x, y = grid.centres_of(rows, columns)
    x, y = x - at[0], y - at[1]
    away_m = np.hypot(x, y)
    near = (_LOOK_FROM_M[0] <= away_m) & (away_m <= _LOOK_FROM_M[1])
    rows, columns = rows[near], columns[near]
    x, y, away_m = x[near], y[near], away_m[near]
    towards = math.atan2(other.y - at[1], other.x - at[0])
    cosine = (x * math.cos(towards) + y * math.sin(towards)) / away_m
    # Rounded so coarsely that the farthest of many places in one direction is taken.
    off = np.round(np.abs(cosine - math.cos(_ASIDE_RAD)), 1)
    for index in np.lexsort((columns, rows, -away_m, off)):
        pose = Pose2D(at[0] + float(x[index]), at[1] + float(y[index]),
                      math.atan2(-y[index], -x[index]))
        if may_stand(pose) and _sees(grid, pose, at):
            return pose
    return None


def _sees(grid: OccupancyGrid, pose: Pose2D, at: tuple[float, float]) -> bool:
    """Tell whether no known obstacle stands between a pose and a blockage."""
    away_m = pose.distance_to(*at)
    for along_m in np.arange(0.0, away_m - _BLOCKAGE_M, grid.resolution_m / 2):
        share = float(along_m) / away_m
        value = grid.value_at(pose.x + (at[0] - pose.x) * share, pose.y + (at[1] - pose.y) * share)
        if value is None or value >= OCCUPIED:
            return False
    return True


def _way_to(ways_m: NDArray[np.float32], cell: tuple[int, int]) -> list[tuple[int, int]]:
    """Cells of the shortest way from the start of a distance field to a cell; empty for none.

    In an approximate field the way may begin a little off the start.
    """
    if not np.isfinite(ways_m[cell]):
        return []
    way = [cell]
    while ways_m[way[-1]] > 0.0:
        row, column = way[-1]
        top, left = max(0, row - 1), max(0, column - 1)
        window = ways_m[top:row + 2, left:column + 2]
        down, right = np.unravel_index(int(np.argmin(window)), window.shape)
        step = (top + int(down), left + int(right))
        if ways_m[step] >= ways_m[way[-1]]:
            break
        way.append(step)
    return way[::-1]
