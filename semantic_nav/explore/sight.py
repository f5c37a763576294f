"""Visibility by the map: over furniture, but not through walls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OCCUPIED, UNKNOWN, OccupancyGrid

#: Range of view over occupied cells, most of which are furniture, in m.
_OVER_M = 0.6
#: Range of view into unknown cells, for behind a door there is a room, in m.
_INTO_UNKNOWN_M = 1.5
#: Number of directions cast from a position.
RAYS = 72
#: Distance between two places below which a model errs alike from both, in m.
APART_M = 0.5

Cells = NDArray[np.int64]


def cast(grid: OccupancyGrid, positions: Cells, angles_rad: NDArray[np.float64], range_m: float,
         pace: int) -> tuple[Cells, Cells, NDArray[np.bool_], NDArray[np.float64]]:
    """Cast rays from cells over the map.

    A ray ends outside the map, far over furniture, some way into unknown cells, and behind an
    obstacle: behind a wall comes another room.

    Args:
        grid: the map.
        positions: rows and columns, shape (n, 2).
        angles_rad: directions in the frame of the map, shape (a,).
        range_m: length of the rays.
        pace: cells between two samples of a ray.

    Returns:
        Rows and columns of the samples, which of them are seen, each of shape (n, a, s), and the
        distances of the samples in m, shape (s,).
    """
    height, width = grid.shape
    # Nothing is seen beyond the map.
    cells = min(range_m / grid.resolution_m, math.hypot(height, width))
    # Every cell may end a ray: a wall of a map may be one cell thick.
    steps = np.arange(1, int(cells / pace) * pace + 1, dtype=np.int64)
    down = np.rint(np.sin(angles_rad)[:, None] * steps).astype(np.int64)
    right = np.rint(np.cos(angles_rad)[:, None] * steps).astype(np.int64)
    rows = positions[:, 0, None, None] + down
    columns = positions[:, 1, None, None] + right
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    rows, columns = rows.clip(0, height - 1), columns.clip(0, width - 1)
    value = grid.cells.ravel().take(rows * width + columns)
    occupied = value >= OCCUPIED
    # Number of cells that make a stretch too long.
    way_m = np.arange(len(steps) + 1) * grid.resolution_m
    over, unknown = (int(np.searchsorted(way_m, limit_m, 'right'))
                     for limit_m in (_OVER_M, _INTO_UNKNOWN_M))
    ends = ~inside | (np.cumsum(occupied, axis=2, dtype=np.int32) >= over) | (
        np.cumsum(value == UNKNOWN, axis=2, dtype=np.int32) >= unknown)
    ends[..., 1:] |= occupied[..., :-1] & ~occupied[..., 1:]
    seen: NDArray[np.bool_] = ~np.logical_or.accumulate(ends, axis=2)
    distances_m: NDArray[np.float64] = steps.astype(np.float64) * grid.resolution_m
    samples = slice(pace - 1, None, pace)
    return rows[..., samples], columns[..., samples], seen[..., samples], distances_m[samples]


@dataclass(frozen=True)
class Eye:
    """Viewpoint of a look.

    Attributes:
        pose: pose in the map frame, with the heading of the camera.
        half_angle_rad: half of its horizontal field of view.
        scene: place and things that a model described there; empty where it said nothing.
    """

    pose: Pose2D
    half_angle_rad: float
    scene: str = ''


def seen_from_two_places(grid: OccupancyGrid, eyes: Sequence[Eye],
                         range_m: float) -> NDArray[np.bool_]:
    """Mask of the cells that looks from two places apart show by the map, in the map's shape.

    Args:
        grid: the map.
        eyes: viewpoints of the looks.
        range_m: range of a look.
    """
    first = np.full(grid.shape, -1, np.int64)
    twice = np.zeros(grid.shape, np.bool_)
    for index, eye in enumerate(eyes):
        pose = eye.pose
        visible = _in_view(grid, (pose.x, pose.y), pose.yaw, eye.half_angle_rad, range_m)
        apart = np.array([pose.distance_to(other.pose.x, other.pose.y) >= APART_M
                          for other in eyes[:index + 1]])
        before = first[visible]
        # Index -1 is the look itself, which is not apart from itself.
        twice[visible] |= apart[before]
        first[visible] = np.where(before < 0, index, before)
    return twice


def visible_cells(grid: OccupancyGrid, eye: tuple[float, float], yaw: float,
                  half_angle_rad: float, range_m: float) -> NDArray[np.bool_]:
    """Mask of the cells that a look from a point shows by the map, in the shape of the map."""
    visible = np.zeros(grid.shape, np.bool_)
    visible[_in_view(grid, eye, yaw, half_angle_rad, range_m)] = True
    return visible


def _in_view(grid: OccupancyGrid, eye: tuple[float, float], yaw: float, half_angle_rad: float,
             range_m: float) -> tuple[Cells, Cells]:
    """Rows and columns of the cells that a look shows, some of them more than once."""
    cell = grid.cell_of(*eye)
    if not grid.contains(*cell):
        nowhere = np.zeros(0, np.int64)
        return nowhere, nowhere
    # As many rays as there are cells on the arc at the far end.
    far = min(range_m / grid.resolution_m, math.hypot(*grid.shape))
    count = max(3, math.ceil(2 * half_angle_rad * far))
    angles = yaw + np.linspace(-half_angle_rad, half_angle_rad, count)
    rows, columns, seen, _ = cast(grid, np.array([cell]), angles, range_m, pace=1)
    return rows[seen], columns[seen]
