"""Problems of a saved map for a robot: narrow passages, loose spots, rays through windows.

Maps made by robots have ragged walls, legs and noise on open floor, and fans of free cells where
laser rays left through a window or a door.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.grid import OCCUPIED, UNKNOWN, Mask, OccupancyGrid
from semantic_nav.explore.distance_field import lengths_from, nearest_open

#: Least size of a part of the floor; smaller ones are nooks between furniture, in m².
LEAST_FLOOR_M2 = 1.0
#: Largest size and least distance of a separate spot, which is a leg or noise, in m² and metres.
_SPOT_M2, _ALONE_M = 0.02, 0.3
#: Half width of free strips that are rays, in metres; their least area, in m²; and the least share
#: of unknown cells in their border.
_STRIP_M, _LEAST_STRIP_M2, _BETWEEN_UNKNOWN = 0.15, 0.05, 0.8
#: Least length of a reported border between floor and unknown, about a door's width, in metres.
_OPENING_M = 0.8
#: Margin below which a passage is tight, both sides together, in metres.
TIGHT_M = 0.15
#: Largest distance of the robot's start from drivable floor, in metres.
_START_SHIFT_M = 0.5
_EIGHT = np.ones((3, 3), np.bool_)
Point = tuple[float, float]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Passage:
    """The narrowest place on the widest way to a part of the floor.

    Attributes:
        at: x and y in the map frame.
        width_m: between the obstacles on both sides.
        behind_m2: floor that it leads to.
    """

    at: Point
    width_m: float
    behind_m2: float


@dataclass(frozen=True)
class Area:
    """A part of the map, given by a point in it.

    Attributes:
        at: x and y in the map frame.
        size: in m²; of a border in metres.
    """

    at: Point
    size: float


@dataclass(frozen=True, eq=False)
class Survey:
    """The findings about a saved map for one robot.

    Attributes:
        grid: the map.
        needed_m: width that the robot's centre needs, both sides together.
        reached: mask of the cells where its centre can be, shape as the map's.
        passages: too narrow ones, those with the most floor behind first.
        tight: passages wide enough by less than TIGHT_M, those with the most floor behind first.
        enclosed: floor without any passage to it, the largest first.
        spots: separate occupied cells on reachable floor.
        strips: rays through windows or doors, the largest first.
        openings: borders of the reachable floor with the unknown, the longest first.
        rays: mask of the cells of all strips, shape as the map's.
    """

    grid: OccupancyGrid
    needed_m: float
    reached: Mask
    passages: tuple[Passage, ...]
    tight: tuple[Passage, ...]
    enclosed: tuple[Area, ...]
    spots: tuple[Area, ...]
    strips: tuple[Area, ...]
    openings: tuple[Area, ...]
    rays: Mask

    @property
    def floor_m2(self) -> float:
        """The free floor that the robot reaches or stands beside, in m²."""
        return _area_m2(self.grid, beside(self.grid, self.reached, self.needed_m / 2))

    def start(self) -> Point:
        """The roomiest reachable place, x and y in the map frame."""
        room = ndimage.distance_transform_edt(self.reached)
        row, column = np.unravel_index(int(np.argmax(room)), room.shape)
        return self.grid.centre_of(int(row), int(column))


def survey(grid: OccupancyGrid, radius_m: float, start: Point | None = None) -> Survey:
    """Survey a map for a robot.

    Args:
        grid: the map.
        radius_m: least distance of the robot's centre from occupied cells.
        start: of the robot, x and y in the map frame; None: on the largest floor.

    Raises:
        ConfigError: the robot fits nowhere on the map, or not at its start.
    """
    clear_m = clear_m_of(grid)
    standing = grid.free & (clear_m > radius_m)
    labels, count = ndimage.label(standing, _EIGHT)
    if not count:
        raise ConfigError(f'nowhere on this map has a robot of {radius_m:.2f} m radius room: '
                          f'{grid.barren or "the free floor is too narrow"}')
    main = _main(grid, labels, start)
    reached: Mask = labels == main
    passages, enclosed = _out_of_reach(grid, clear_m, labels, main, radius_m)
    strips, rays, broad = _strips(grid)
    around = beside(grid, reached, radius_m + _ALONE_M)
    return Survey(grid, 2 * radius_m, reached, passages, _tight(grid, clear_m, reached, radius_m),
                  enclosed, tuple(_spots(grid, around)), strips,
                  tuple(_openings(grid, broad & around)), rays)


def beside(grid: OccupancyGrid, cells: Mask, within_m: float) -> Mask:
    """Mask of the free cells in or near some cells, shape as the map's."""
    near: Mask = ndimage.distance_transform_edt(~cells) * grid.resolution_m <= (
        within_m + grid.resolution_m)
    return near & grid.free


def clear_m_of(grid: OccupancyGrid) -> Floats:
    """The distance of each cell from the nearest occupied one, in metres, shape as the map's."""
    occupied = grid.cells >= OCCUPIED
    if not occupied.any():
        return np.full(grid.shape, np.inf)
    return np.asarray(ndimage.distance_transform_edt(~occupied) * grid.resolution_m, np.float64)


def _main(grid: OccupancyGrid, labels: NDArray[np.int32], start: Point | None) -> int:
    if start is None:
        return int(np.argmax(np.bincount(labels.ravel())[1:])) + 1
    cell = nearest_open(labels > 0, grid.cell_of(*start),
                        round(_START_SHIFT_M / grid.resolution_m))
    if cell is None:
        raise ConfigError(f'the robot has no room at ({start[0]:.2f}, {start[1]:.2f}): nothing '
                          f'within {_START_SHIFT_M} m is free, known and wide enough')
    return int(labels[cell])


def _out_of_reach(grid: OccupancyGrid, clear_m: Floats, labels: NDArray[np.int32], main: int,
                  radius_m: float) -> tuple[tuple[Passage, ...], tuple[Area, ...]]:
    """The passages to the parts of the floor, and the parts without one."""
    sizes_m2 = {}
    for part, window in enumerate(ndimage.find_objects(labels), start=1):
        if part != main:
            grown = _grown(window, round(2 * radius_m / grid.resolution_m))
            size_m2 = _area_m2(grid, beside(_window(grid, grown), labels[grown] == part,
                                            radius_m))
            if size_m2 >= LEAST_FLOOR_M2:
                sizes_m2[part] = size_m2
    passages: dict[Point, Passage] = {}
    level_m = radius_m
    while sizes_m2 and level_m > 0.0:
        level_m -= grid.resolution_m / 2
        wider = grid.free & (clear_m > max(level_m, 0.0))
        joined, _ = ndimage.label(wider, _EIGHT)
        here = joined == joined[np.unravel_index(int(np.argmax(labels == main)), labels.shape)]
        for part in [part for part in sizes_m2 if here[labels == part].any()]:
            found = _passage(grid, clear_m, here, labels, (main, part), sizes_m2.pop(part))
            also_m2 = passages[found.at].behind_m2 if found.at in passages else 0.0
            passages[found.at] = replace(found, behind_m2=found.behind_m2 + also_m2)
    enclosed = [Area(_point_of(grid, labels == part), size) for part, size in sizes_m2.items()]
    return (tuple(sorted(passages.values(), key=lambda one: -one.behind_m2)),
            tuple(sorted(enclosed, key=lambda one: -one.size)))


def _tight(grid: OccupancyGrid, clear_m: Floats, reached: Mask,
           radius_m: float) -> tuple[Passage, ...]:
    """The passages in the reachable floor that a slightly larger robot could not take."""
    larger_m = radius_m + TIGHT_M / 2
    labels, count = ndimage.label(reached & (clear_m > larger_m), _EIGHT)
    if not count:
        return ()
    return _out_of_reach(grid, clear_m, labels, _main(grid, labels, None), larger_m)[0]


def _passage(grid: OccupancyGrid, clear_m: Floats, open_cells: Mask, labels: NDArray[np.int32],
             ends: tuple[int, int], behind_m2: float) -> Passage:
    """The narrowest place on the way between two parts."""
    lengths, before = lengths_from(open_cells, _cell_of(labels == ends[1]))
    there = np.where(labels == ends[0], lengths, np.inf)
    index = int(np.argmin(there))
    way = []
    while index >= 0:
        way.append(divmod(index, grid.shape[1]))
        index = int(before[way[-1]])
    narrowest = min(way, key=lambda cell: float(clear_m[cell]))
    return Passage(grid.centre_of(*narrowest),
                   max(0.0, 2 * float(clear_m[narrowest]) - grid.resolution_m), behind_m2)


def _spots(grid: OccupancyGrid, around: Mask) -> Iterator[Area]:
    """Yield small separate obstacles beside some floor."""
    occupied = grid.cells >= OCCUPIED
    labels, _ = ndimage.label(occupied, _EIGHT)
    sizes = np.bincount(labels.ravel()) * grid.resolution_m ** 2
    large = occupied & (sizes[labels] > _SPOT_M2)
    away_m = (ndimage.distance_transform_edt(~large) * grid.resolution_m if large.any()
              else np.full(grid.shape, np.inf))
    beside_floor = ndimage.binary_dilation(around, _EIGHT)
    for part, window in enumerate(ndimage.find_objects(labels), start=1):
        cells = labels[window] == part
        if sizes[part] <= _SPOT_M2 and away_m[window][cells].min() > _ALONE_M and (
                beside_floor[window][cells].any()):
            yield Area(_point_of(_window(grid, window), cells), float(sizes[part]))


def _strips(grid: OccupancyGrid) -> tuple[tuple[Area, ...], Mask, Mask]:
    """The strips of free cells between unknown ones, their mask, and that of the broad floor."""
    free, resolution_m = grid.free, grid.resolution_m
    inner = ndimage.distance_transform_edt(np.pad(free, 1))[1:-1, 1:-1] * resolution_m > _STRIP_M
    broad = beside(grid, inner, _STRIP_M)
    labels, _ = ndimage.label(free & ~broad, _EIGHT)
    found, rays = [], np.zeros_like(free)
    for part, window in enumerate(ndimage.find_objects(labels), start=1):
        grown = _grown(window, 1)
        cells = labels[grown] == part
        border = grid.cells[grown][ndimage.binary_dilation(cells, _EIGHT) & ~cells]
        closed = border[(border == UNKNOWN) | (border >= OCCUPIED)]
        size_m2 = _area_m2(grid, cells)
        if size_m2 >= _LEAST_STRIP_M2 and closed.size and (
                (closed == UNKNOWN).mean() >= _BETWEEN_UNKNOWN):
            found.append(Area(_point_of(_window(grid, grown), cells), size_m2))
            rays[grown] |= cells
    return tuple(sorted(found, key=lambda one: -one.size)), rays, broad


def _openings(grid: OccupancyGrid, floor: Mask) -> Iterator[Area]:
    """Yield the borders of some floor with the unknown, the longest first."""
    unknown = ndimage.binary_dilation(np.pad(grid.cells == UNKNOWN, 1, constant_values=True))
    labels, _ = ndimage.label(floor & unknown[1:-1, 1:-1], _EIGHT)
    found = []
    for part, window in enumerate(ndimage.find_objects(labels), start=1):
        cells = labels[window] == part
        length_m = float(np.hypot(*cells.shape)) * grid.resolution_m
        if length_m >= _OPENING_M:
            found.append(Area(_point_of(_window(grid, window), cells), length_m))
    yield from sorted(found, key=lambda one: -one.size)


def _window(grid: OccupancyGrid, window: tuple[slice, ...]) -> OccupancyGrid:
    """A part of a map."""
    rows, columns = window
    return OccupancyGrid(grid.cells[window], grid.resolution_m,
                         grid.origin_x_m + columns.start * grid.resolution_m,
                         grid.origin_y_m + rows.start * grid.resolution_m, grid.frame_id,
                         grid.stamp_ns)


def _grown(window: tuple[slice, ...], cells: int) -> tuple[slice, ...]:
    return tuple(slice(max(0, one.start - cells), one.stop + cells) for one in window)


def _area_m2(grid: OccupancyGrid, cells: Mask) -> float:
    return int(np.count_nonzero(cells)) * grid.resolution_m ** 2


def _cell_of(cells: Mask) -> tuple[int, int]:
    """The one of some cells that is nearest to their centroid."""
    rows, columns = np.nonzero(cells)
    best = int(np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2))
    return int(rows[best]), int(columns[best])


def _point_of(grid: OccupancyGrid, cells: Mask) -> Point:
    return grid.centre_of(*_cell_of(cells))
