"""Floor that is known and was not looked at, and that no way leads to now."""

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

#: Less floor than this is no part of its own: the edge of what is clear wavers by a cell or two.
_LEAST_PART_M2 = 0.5
#: Less floor than this to which no way ever led is a corner behind furniture.
_NOOK_M2 = 1.0
#: How far the robot's own cell may lie from the nearest cell of known floor, in metres.
_START_SHIFT_M = 0.5
#: Where a way is blocked is looked at from so far, in metres: in reach of every sensor.
_LOOK_FROM_M = (0.9, 2.0)
#: The second look at it is so far aside of the first, about.
_ASIDE_RAD = math.radians(60)
#: What stands at a blockage reaches so far, in metres: nothing else may hide it.
_BLOCKAGE_M = 0.4
#: What blocks it stands a little behind the last cell that is clear, in metres.
_BEHIND_M = 0.4
#: What lies so near to a pose that is left out for now is left out with it, in metres.
_NEAR_M = 0.5
#: Views that are compared; many lie in one part.
_VIEWS = 100_000


@dataclass(frozen=True)
class Clearance:
    """How far from obstacles the middle of the robot must be, in metres.

    Attributes:
        passing_m: so that it can pass.
        standing_m: so that it may be sent there.
    """

    passing_m: float
    standing_m: float


@dataclass(frozen=True)
class Blockage:
    """Where a way is blocked.

    Attributes:
        at: x and y in the map frame.
        look_from: poses before it that face it, as far as the robot may stand there: one on the
            way, and one from which it is seen from another side.
    """

    at: tuple[float, float]
    look_from: tuple[Pose2D, ...]


@dataclass(frozen=True)
class UnreachedPart:
    """Connected floor that is not reachable now, and is worth a look.

    Attributes:
        view: from where it would be looked at first.
        area_m2: of the floor; for poses in reach that are left out, what the view would show.
        way_m: to the view, if nothing blocked it; infinite where no way is known.
        blockage: where the way is blocked; None where nobody knows, or nothing blocks it now.
    """

    view: Pose2D
    area_m2: float
    way_m: float
    blockage: Blockage | None

    @property
    def is_nook(self) -> bool:
        """Whether it is a corner behind furniture, which no door that opens again leads to."""
        return math.isinf(self.way_m) and self.area_m2 < _NOOK_M2


def known_floor(grid: OccupancyGrid, reached: Mask, now: Mask, clearance: Clearance,
                closed: Mask | None = None) -> Mask:
    """Return where a robot could be if nothing blocked a way, shape as the map's.

    What was reachable at some time, and what is free in the map with room enough: what blocks a
    way may go away, and a pose may be wrong.

    Args:
        grid: the map.
        reached: cells to which a way led at some time.
        now: cells to which one leads now.
        clearance: of the robot.
        closed: cells where the robot may not be, which nothing will open; None for none.
    """
    known = reached | now | (grid.free & (_clear_m(grid) > clearance.passing_m))
    return known if closed is None else known & ~closed


def blockage_before(grid: OccupancyGrid, known: Mask, now: Mask, robot: Pose2D, pose: Pose2D,
                    may_stand: Callable[[Pose2D], bool]) -> Blockage | None:
    """Return where the way to a pose is blocked; None where nobody knows, or nothing blocks it.

    Args:
        grid: the map.
        known, now: see `known_floor`.
        robot: where it is.
        pose: where to.
        may_stand: tells whether the robot may be sent to a pose.
    """
    row, column = grid.cell_of(pose.x, pose.y)
    if not grid.contains(row, column):
        return None
    return _blockage(grid, _ways_m(grid, known, now, robot), now, (row, column), may_stand)


def unreached_parts(search: Search, reached: Mask, postponed: Sequence[Pose2D],
                    clearance: Clearance, policy: ExplorationPolicy,
                    closed: Mask | None = None) -> tuple[UnreachedPart, ...]:
    """Return the parts of the known floor that a search leaves out, nearest first.

    What the policy would look at if all known floor (`known_floor`) were in reach was not looked
    at.

    Args:
        search: as it stands; `done` holds only what was looked from.
        reached: cells to which a way led at some time, shape as the map's.
        postponed: poses in reach that are left out for now, as where a drive failed lately; the
            rest of what is in reach is the search's own.
        clearance: of the robot.
        policy: that a search begins with.
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
    """Return how far each cell is from the nearest obstacle, to be read only."""
    occupied = grid.cells >= OCCUPIED
    if not occupied.any():
        return np.full(grid.shape, np.inf)
    clear_m: NDArray[np.float64] = ndimage.distance_transform_edt(
        ~occupied, sampling=grid.resolution_m)
    return clear_m


def _ways_m(grid: OccupancyGrid, known: Mask, now: Mask, robot: Pose2D) -> NDArray[np.float32]:
    """Return the length of the way to each cell over known floor, from where the robot can be.

    Of much known floor it is that of `coarse_field`.
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
    """Return the cells that lie near one of some poses."""
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
    """Return where the way to a cell leaves what is in reach."""
    way = _way_to(ways_m, cell)
    first = next((index for index, step in enumerate(way) if not now[step]), None)
    if not first:
        # No way is known, all of it is in reach, or nothing near the robot is.
        return None
    behind = min(first + round(_BEHIND_M / grid.resolution_m), len(way) - 1)
    at = grid.centre_of(*way[behind])
    back_m = _about(grid, now, way[first])
    on_way = _before(grid, back_m, ways_m, at, _LOOK_FROM_M[0], may_stand)
    aside = None if on_way is None else _from_aside(grid, back_m, at, on_way, may_stand)
    return Blockage(at, tuple(pose for pose in (on_way, aside) if pose is not None))


def _about(grid: OccupancyGrid, now: Mask, cell: tuple[int, int]) -> NDArray[np.float32]:
    """Return how far it is to the cells about one from where a blockage is looked at."""
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
    """Return the pose at a distance before a blockage that the robot is at soonest."""
    rows, columns = np.nonzero(np.abs(back_m - (away_m - _BEHIND_M)) <= grid.resolution_m)
    for index in np.lexsort((columns, rows, ways_m[rows, columns])):
        x, y = grid.centre_of(int(rows[index]), int(columns[index]))
        pose = Pose2D(x, y, math.atan2(at[1] - y, at[0] - x))
        if may_stand(pose):
            return pose
    return None


def _from_aside(grid: OccupancyGrid, back_m: NDArray[np.float32], at: tuple[float, float],
                other: Pose2D, may_stand: Callable[[Pose2D], bool]) -> Pose2D | None:
    """Return the pose that sees a blockage best from another side than a first one.

    A leaf that stood in a doorway is hidden by the wall beside it from most places.
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
    # So coarse that of many places in one direction the farthest is taken.
    off = np.round(np.abs(cosine - math.cos(_ASIDE_RAD)), 1)
    for index in np.lexsort((columns, rows, -away_m, off)):
        pose = Pose2D(at[0] + float(x[index]), at[1] + float(y[index]),
                      math.atan2(-y[index], -x[index]))
        if may_stand(pose) and _sees(grid, pose, at):
            return pose
    return None


def _sees(grid: OccupancyGrid, pose: Pose2D, at: tuple[float, float]) -> bool:
    """Tell whether nothing known stands between a pose and a blockage."""
    away_m = pose.distance_to(*at)
    for along_m in np.arange(0.0, away_m - _BLOCKAGE_M, grid.resolution_m / 2):
        share = float(along_m) / away_m
        value = grid.value_at(pose.x + (at[0] - pose.x) * share, pose.y + (at[1] - pose.y) * share)
        if value is None or value >= OCCUPIED:
            return False
    return True


def _way_to(ways_m: NDArray[np.float32], cell: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the cells of the shortest way from the start of a distance field to a cell.

    In a field that is not exact the way may begin a little off the start.
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
