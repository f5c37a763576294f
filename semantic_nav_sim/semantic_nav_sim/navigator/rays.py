"""The cells of a grid that a scan has seen through."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.navigator.geometry import Pose


def passed(x: NDArray[np.float64], y: NDArray[np.float64], sensor: Pose,
           bearings_rad: NDArray[np.float64], ranges_m: NDArray[np.float64],
           resolution_m: float) -> NDArray[np.bool_]:
    """Mask of the cells whose centre a ray passes within half a cell, a cell before its end.

    Each cell checks only the ray nearest to its bearing, which is many times cheaper than walking
    along all rays.

    Args:
        x: float[width], centres of the columns [m].
        y: float[height], centres of the rows [m].
        sensor: Pose of the sensor in the frame of the grid.
        bearings_rad: float[n], of the rays in the sensor's frame, evenly spaced [rad].
        ranges_m: float[n], free length of each ray; 0 for an invalid one [m].
        resolution_m: Edge of a cell [m].

    Returns:
        bool[height, width].
    """
    ahead = (x - sensor.x).astype(np.float32)[None, :]
    left = (y - sensor.y).astype(np.float32)[:, None]
    count = len(ranges_m)
    step_rad = float(bearings_rad[-1] - bearings_rad[0]) / (count - 1) if count > 1 else math.tau
    turned = np.arctan2(left, ahead)
    turned -= np.float32(sensor.yaw + bearings_rad[0])
    turned %= np.float32(math.tau)
    turned /= np.float32(step_rad)
    index = np.minimum(np.rint(turned).astype(np.int32), count - 1)
    # Between the last ray and the first of the next turn either may be nearer.
    round_ = math.tau / step_rad
    index[turned > 0.5 * (count - 1 + round_)] = 0
    aside = np.abs(turned - index)
    np.minimum(aside, np.float32(round_) - aside, out=aside)
    away_m = np.hypot(ahead, left)
    free: NDArray[np.bool_] = away_m < (ranges_m - resolution_m).astype(np.float32)[index]
    aside *= away_m
    free &= aside <= np.float32(0.5 * resolution_m / step_rad)
    return free
