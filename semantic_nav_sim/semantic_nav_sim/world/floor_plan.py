"""The map of a world, as a robot's mapping would have left it."""

import numpy as np
from scipy import ndimage

from semantic_nav.contracts.grid import FREE, LETHAL, UNKNOWN, OccupancyGrid
from semantic_nav_sim.world.footprints import Footprints
from semantic_nav_sim.world.scene import WorldScene

RESOLUTION_M = 0.05
BAND_M = (0.05, 1.0)
MARGIN_M = 0.5


def floor_plan(scene: WorldScene) -> OccupancyGrid:
    """Project walls and furniture between 5 cm and 1 m of height, as RTAB-Map does from depth.

    Movable objects are left out, so the map is the same for every seed. Cells in no room are
    unknown. So are cells of a home of blocks that no start pose leads to, since its rooms reach
    beyond the enclosing blocks. A cell is occupied if an outline comes within half a cell of its
    centre.

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
    grid = OccupancyGrid(cells, RESOLUTION_M, x0, y0, 'map', 0)
    if world.blocks:
        labels, _ = ndimage.label(cells == FREE)
        inside = {int(labels[grid.cell_of(start.x, start.y)]) for start in world.start_poses}
        cells[(cells == FREE) & ~np.isin(labels, list(inside))] = UNKNOWN
    return grid
