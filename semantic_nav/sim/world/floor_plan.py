"""The map of a world as a robot's mapping would have left it, in map_server's format."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from semantic_nav.contracts.grid import FREE, LETHAL, UNKNOWN, OccupancyGrid
from semantic_nav.sim.world.footprints import Footprints
from semantic_nav.sim.world.scene import Scene

RESOLUTION_M = 0.05
BAND_M = (0.05, 1.0)
MARGIN_M = 0.5
# Below 50/255 = 0.196, which is what a pixel of 205 ('unknown') comes to.
FREE_THRESHOLD = 0.19
OCCUPIED_THRESHOLD = 0.65
_GREY = {FREE: 254, LETHAL: 0, UNKNOWN: 205}


def floor_plan(scene: Scene) -> OccupancyGrid:
    """Project walls and furniture between 5 cm and 1 m of height, as RTAB-Map does from depth.

    Movable objects are left out, so the map is the same for every seed. Cells in no room are
    unknown. A cell is occupied when an outline comes within half a cell of its middle.

    Returns:
        The map, frame 'map', stamp 0.
    """
    world = scene.world
    x0, y0 = (value - MARGIN_M for value in world.low)
    columns, rows = (round((high - low + 2 * MARGIN_M) / RESOLUTION_M)
                     for low, high in zip(world.low, world.high, strict=True))
    xs = x0 + (np.arange(columns, dtype=np.float64) + 0.5) * RESOLUTION_M
    ys = y0 + (np.arange(rows, dtype=np.float64) + 0.5) * RESOLUTION_M
    cells = np.full((rows, columns), UNKNOWN, np.int8)
    for room in world.rooms:
        inside = (((room.low[1] <= ys) & (ys <= room.high[1]))[:, None]
                  & ((room.low[0] <= xs) & (xs <= room.high[0]))[None, :])
        cells[inside] = FREE
    footprints = Footprints(scene.fixed_colliders(), *BAND_M)
    cells[footprints.raster(xs, ys, RESOLUTION_M / 2)] = LETHAL
    return OccupancyGrid(cells, RESOLUTION_M, x0, y0, 'map', 0)


def map_files(grid: OccupancyGrid) -> dict[str, bytes]:
    """Return a map as the contents of map.pgm and map.yaml."""
    grey = np.full(grid.cells.shape, _GREY[UNKNOWN], np.uint8)
    for value, level in _GREY.items():
        grey[grid.cells == value] = level
    picture = io.BytesIO()
    # Pictures start at the top, grids at the smallest y.
    Image.fromarray(np.ascontiguousarray(grey[::-1])).save(picture, 'PPM')
    text = (f'image: map.pgm\nmode: trinary\nresolution: {grid.resolution_m}\n'
            f'origin: [{grid.origin_x_m}, {grid.origin_y_m}, 0]\nnegate: 0\n'
            f'occupied_thresh: {OCCUPIED_THRESHOLD}\nfree_thresh: {FREE_THRESHOLD}\n')
    return {'map.pgm': picture.getvalue(), 'map.yaml': text.encode()}


def save_map(grid: OccupancyGrid, folder: Path) -> None:
    """Write map.pgm and map.yaml into a folder."""
    for name, content in map_files(grid).items():
        (folder / name).write_bytes(content)
