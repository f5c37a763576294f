"""A home from a saved map: occupied cells become walls and furniture, closed to the unknown."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import ndimage

from semantic_nav.contracts.grid import OCCUPIED, Mask, OccupancyGrid
from semantic_nav_sim.saved_map.rectangles import Rectangle, rectangles_of, rooms_of
from semantic_nav_sim.saved_map.survey import Survey
from semantic_nav_sim.saved_map.things import Thing, furnish
from semantic_nav_sim.world.generator.style import Style
from semantic_nav_sim.world.random_streams import stream

Json = dict[str, Any]
WALL_M = 2.6
#: Largest length of a separate obstacle that becomes furniture, and its height, which a camera
#: sees over.
_FURNITURE_M, _FURNITURE_HIGH_M = 2.0, 0.75
#: Largest gap between pieces of one wall or one piece of furniture, in cells.
_TOGETHER_CELLS = 2
#: Depth of the obstacles that are raised behind the floor, in cells.
_DEEP_CELLS = 3
#: Largest unseen hole in the floor that counts as floor, in m².
_HOLE_M2 = 0.3
#: Margin of blocks within their cells: a raster with half a cell of margin keeps to these.
_WITHIN_M = 1e-4
#: Floor area for a lamp of power 1. Each square of a given side with some floor has one lamp.
_LAMP_M2, _BRIGHTEST = 15.0, 2.2
_LAMP_APART_M, _LEAST_LIT_M2, _MOST_LAMPS = 3.0, 1.0, 64
#: Number of rooms whose roomiest places are start poses.
_STARTS = 8
_EIGHT = np.ones((3, 3), np.bool_)


def raise_home(name: str, found: Survey, seed: int, things: Sequence[Thing] = ()) -> Json:
    """A home from a survey, as a document of schema/world.schema.json.

    Args:
        name: of the world, a lower-case identifier.
        found: survey of the saved map.
        seed: of the looks, and of things and places if none are given.
        things: things with their places.

    Raises:
        ConfigError: a thing is unknown, or has no place.
    """
    grid = found.grid
    floor = floor_of(found)
    near: Mask = ndimage.binary_dilation(floor, _EIGHT)
    occupied = (grid.cells >= OCCUPIED) & ~floor
    closed = near & ~floor & ~occupied
    solid = occupied & ndimage.binary_dilation(floor, _EIGHT, iterations=_DEEP_CELLS)
    low = solid & _furniture(occupied, ~floor & ~occupied, grid.resolution_m)
    blocks = [*_blocks(grid, (solid & ~low) | closed, WALL_M),
              *_blocks(grid, low, _FURNITURE_HIGH_M)]
    style = Style(stream(seed, 'looks of a saved map'))
    rectangles = [one for one in rooms_of(grid, floor) if found.reached[one.window(grid)].any()]
    document: Json = {
        'name': name, 'wall_height_m': WALL_M,
        'rooms': [_room(number, one, style) for number, one in enumerate(rectangles, start=1)],
        'walls': [], 'blocks': blocks, 'materials': style.materials,
        'furniture': [], 'objects': [], 'placements': [],
        'lights': _lamps(grid, floor),
        'sun': {**style.sun, 'power': 0},
        'start_poses': _starts(found, rectangles)}
    furnish(document, found, floor, seed, style, things)
    return document


def floor_of(found: Survey) -> Mask:
    """The free cells connected to the reachable floor, shape as the map's.

    Rays that left through windows are excluded. Small unseen spots within the floor are included.
    """
    grid = found.grid
    labels, _ = ndimage.label(grid.free & ~found.rays)
    kept = np.unique(labels[found.reached])
    floor: Mask = np.isin(labels, kept[kept > 0])
    holes, _ = ndimage.label(~floor & ~(grid.cells >= OCCUPIED))
    sizes = np.bincount(holes.ravel()) * grid.resolution_m ** 2
    small = (sizes < _HOLE_M2)[holes] & (holes > 0)
    beside_floor = np.bincount(holes[small & ndimage.binary_dilation(floor)],
                               minlength=len(sizes))
    border = np.bincount(holes[small & ndimage.binary_dilation(grid.cells >= OCCUPIED)],
                         minlength=len(sizes))
    return floor | (small & (beside_floor > border)[holes])


def _furniture(occupied: Mask, outside: Mask, edge_m: float) -> Mask:
    """Mask of the occupied cells that belong to something short within the floor.

    Obstacles before the unknown are excluded: over them a camera would look out of the home.
    """
    labels, _ = ndimage.label(
        ndimage.binary_dilation(occupied, _EIGHT, iterations=_TOGETHER_CELLS), _EIGHT)
    longest = np.array([np.inf, *(max(one.stop - one.start for one in window)
                                  for window in ndimage.find_objects(labels))])
    longest[labels[outside]] = np.inf
    return occupied & (longest * edge_m < _FURNITURE_M)[labels]


def _blocks(grid: OccupancyGrid, cells: Mask, height_m: float) -> list[Json]:
    blocks = []
    for one in rectangles_of(grid, cells):
        blocks.append({'rectangle_m': [
            round(one.low[0] + _WITHIN_M, 4), round(one.low[1] + _WITHIN_M, 4),
            round(one.high[0] - _WITHIN_M, 4), round(one.high[1] - _WITHIN_M, 4)],
            'height_m': height_m})
    return blocks


def _room(number: int, one: Rectangle, style: Style) -> Json:
    walls, floor = style.surfaces('room')
    return {'name': f'room {number}', 'kind': 'room',
            'rectangle_m': [round(value, 4) for value in (*one.low, *one.high)],
            'walls': walls, 'floor': floor}


def _lamps(grid: OccupancyGrid, floor: Mask) -> list[Json]:
    """A lamp over each part of the floor, farther apart in large homes."""
    area_m2 = int(floor.sum()) * grid.resolution_m ** 2
    side = math.ceil(max(_LAMP_APART_M, math.sqrt(area_m2 / _MOST_LAMPS) * 2) / grid.resolution_m)
    lamps = []
    for top in range(0, grid.shape[0], side):
        for left in range(0, grid.shape[1], side):
            rows, columns = np.nonzero(floor[top:top + side, left:left + side])
            lit_m2 = len(rows) * grid.resolution_m ** 2
            if lit_m2 < _LEAST_LIT_M2 or len(lamps) >= _MOST_LAMPS:
                continue
            best = int(np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2))
            x, y = grid.centre_of(top + int(rows[best]), left + int(columns[best]))
            lamps.append({'at_m': [round(x, 2), round(y, 2)],
                          'power': round(min(0.35 + 0.85 * lit_m2 / _LAMP_M2, _BRIGHTEST), 2)})
    return lamps


def _starts(found: Survey, rectangles: Sequence[Rectangle]) -> list[Json]:
    """The roomiest reachable place in each of the largest rooms."""
    grid = found.grid
    room_m = ndimage.distance_transform_edt(np.pad(found.reached, 1))[1:-1, 1:-1]
    places = []
    for one in rectangles:
        window = one.window(grid)
        row, column = np.unravel_index(int(np.argmax(room_m[window])), room_m[window].shape)
        cell = (int(row) + window[0].start, int(column) + window[1].start)
        places.append((float(room_m[cell]), grid.centre_of(*cell)))
    return [{'at_m': [round(x, 3), round(y, 3)], 'yaw_deg': 0.0}
            for _, (x, y) in sorted(places, reverse=True)[:_STARTS]]
