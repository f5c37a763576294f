"""Which floor of the true home lay in view of looks, by plain rays."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, OccupancyGrid

#: Of every so many cells one is judged, along each axis.
_STRIDE = 2


def seen_share(home: OccupancyGrid, start: Pose2D, looks: Sequence[Pose2D], range_m: float,
               half_angle_rad: float) -> float:
    """Return the share of the floor connected with the start that some look had in view, 0..1.

    Args:
        home: its true map.
        start: where the robot stood first.
        looks: true poses of the robot at the looks.
        range_m: how far a look counts.
        half_angle_rad: half of the horizontal field of view.
    """
    free = home.cells == FREE
    labels, _ = ndimage.label(free)
    row, column = home.cell_of(start.x, start.y)
    rows, columns = np.nonzero(labels[::_STRIDE, ::_STRIDE] == labels[row, column])
    x = home.origin_x_m + (_STRIDE * columns + 0.5) * home.resolution_m
    y = home.origin_y_m + (_STRIDE * rows + 0.5) * home.resolution_m
    seen = np.zeros(len(x), np.bool_)
    for look in looks:
        off_x, off_y = x - look.x, y - look.y
        distance_m = np.hypot(off_x, off_y)
        bearing = np.arctan2(off_y, off_x) - look.yaw
        aside = np.abs(np.arctan2(np.sin(bearing), np.cos(bearing)))
        new = ~seen & (distance_m <= range_m) & (aside <= half_angle_rad)
        seen[new] = _clear(home, free, look, off_x[new], off_y[new])
    return float(seen.mean()) if len(seen) else 0.0


def _clear(home: OccupancyGrid, free: NDArray[np.bool_], look: Pose2D,
           off_x: NDArray[np.float64], off_y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell to which points a straight line over free cells leads."""
    if not len(off_x):
        return np.zeros(0, np.bool_)
    longest_m = float(np.hypot(off_x, off_y).max())
    along = np.linspace(0.0, 1.0, max(2, math.ceil(longest_m / home.resolution_m) + 1))[:, None]
    columns = np.floor((look.x + along * off_x - home.origin_x_m) / home.resolution_m)
    rows = np.floor((look.y + along * off_y - home.origin_y_m) / home.resolution_m)
    height, width = free.shape
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    taken = free[rows.clip(0, height - 1).astype(int), columns.clip(0, width - 1).astype(int)]
    return np.asarray((taken & inside).all(axis=0))
