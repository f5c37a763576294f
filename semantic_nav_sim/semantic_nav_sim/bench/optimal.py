"""The shortest way to the target, by the truth."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, LETHAL, OCCUPIED, OccupancyGrid
from semantic_nav.explore.distance_field import distance_field, nearest_open
from semantic_nav_sim.judge import outline_of
from semantic_nav_sim.world.floor_plan import BAND_M, floor_plan
from semantic_nav_sim.world.footprints import Footprints
from semantic_nav_sim.world.scene import Stage, WorldScene

#: The robot's radius, plus the margin of a careful driver.
_CLEAR_M = 0.25
_START_SHIFT_CELLS = 10


def shortest_way_m(stage: Stage, targets: Sequence[dict[str, Any]], stand_off_m: float,
                   begin: Pose2D | None = None) -> float:
    """The length of the shortest way to a place within the stand-off.

    Args:
        stage: the world in its current state.
        targets: objects of which any will do, as the truth server describes them.
        stand_off_m: distance to the outline of one that the robot must reach.
        begin: pose of the robot; None for the start.

    Returns:
        Metres; infinite if there is no way.
    """
    grid = floor_plan(stage.scene)
    # Walls form a layer of their own: furniture against the far side would hide the end of a wall.
    layers = (grid, walls_of(stage.scene, grid))
    open_cells = open_floor(grid)
    begin = begin or stage.start
    start = nearest_open(open_cells, grid.cell_of(begin.x, begin.y),
                         _START_SHIFT_CELLS)
    if start is None:
        return float('inf')
    way_m = distance_field(open_cells, start, grid.resolution_m)
    rows, columns = np.nonzero(np.isfinite(way_m))
    x, y = grid.centres_of(rows, columns)
    ways = []
    for target in targets:
        outline = np.array(outline_of(target))
        gaps = np.hypot(x[:, None] - outline[:, 0], y[:, None] - outline[:, 1]).min(axis=1)
        near = np.flatnonzero(gaps <= stand_off_m)
        middle = (target['position'][0], target['position'][1])
        ways += [float(way_m[rows[index], columns[index]]) for index in near
                 if not any(_ends_between(layer, (float(x[index]), float(y[index])), middle)
                            for layer in layers)]
    return min(ways, default=float('inf'))


def open_floor(grid: OccupancyGrid) -> NDArray[np.bool_]:
    """Mask of the cells where the robot's centre can be, shape as the map's."""
    gap_m = ndimage.distance_transform_edt(grid.cells == FREE) * grid.resolution_m
    return np.asarray(gap_m > _CLEAR_M, np.bool_)


def walls_of(scene: WorldScene, grid: OccupancyGrid) -> OccupancyGrid:
    """The walls alone, on the cells of a floor plan."""
    rows, columns = grid.shape
    xs, ys = grid.centres_of(np.arange(rows), np.arange(columns))
    walls = Footprints(scene.structure.colliders, *BAND_M).raster(
        xs, ys, grid.resolution_m / 2)
    return replace(grid, cells=np.where(walls, LETHAL, FREE).astype(np.int8))


def _ends_between(grid: OccupancyGrid, start: tuple[float, float],
                  end: tuple[float, float]) -> bool:
    """Tell whether an obstacle ends between two points; the support of the target does not."""
    shares = np.linspace(0.0, 1.0, 2 * math.ceil(math.dist(start, end) / grid.resolution_m) + 1)
    occupied = np.array([
        (grid.value_at(start[0] + (end[0] - start[0]) * share,
                       start[1] + (end[1] - start[1]) * share) or FREE) >= OCCUPIED
        for share in shares])
    return bool((occupied[:-1] & ~occupied[1:]).any())
