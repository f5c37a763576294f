"""Small saved maps, as a robot could have made them."""

import numpy as np

from semantic_nav.contracts.grid import FREE, LETHAL, UNKNOWN, OccupancyGrid


def flat(door_m: float = 0.9, window_m: float = 0.0) -> OccupancyGrid:
    """Return two rooms of 4 by 4 m with a door between them at y = 2 m, the unknown all round.

    Args:
        door_m: width of the door.
        window_m: of glass in the wall of the first room, which rays went through.
    """
    cells = np.full((100, 200), UNKNOWN, np.int8)
    for left in (10, 94):
        cells[8:92, left - 2:left + 82] = LETHAL
        cells[10:90, left:left + 80] = FREE
    half = round(door_m / 0.1)
    cells[50 - half:50 + half, 88:96] = FREE
    half = round(window_m / 0.1)
    cells[50 - half:50 + half, 0:10] = FREE
    return OccupancyGrid(cells, 0.05, -0.5, -0.5, 'map', 0)


def with_cell(grid: OccupancyGrid, x: float, y: float) -> OccupancyGrid:
    """Return a map with one occupied cell more."""
    grid.cells[grid.cell_of(x, y)] = LETHAL
    return grid
