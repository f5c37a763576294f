"""Geometry and noise of the robot's laser scanner."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.robot.profile import ScanErrors
from semantic_nav_sim.world.meshes import Floats
from semantic_nav_sim.world.random_streams import stream


@dataclass(frozen=True)
class LidarModel:
    """Geometry of the scanner; the first ray points backwards, the middle one forwards."""

    rays: int = 360
    height_m: float = 0.20
    range_min_m: float = 0.10
    range_max_m: float = 12.0

    @property
    def angle_min_rad(self) -> float:
        """The bearing of the first ray."""
        return -math.pi

    @property
    def step_rad(self) -> float:
        """The angle between two rays."""
        return math.tau / self.rays

    @property
    def angles_rad(self) -> Floats:
        """The bearings of all rays, shape (rays,)."""
        return self.angle_min_rad + self.step_rad * np.arange(self.rays)


class ScanNoise:
    """Noise on true ranges."""

    def __init__(self, seed: int, errors: ScanErrors, lidar: LidarModel) -> None:
        self._rng, self._lost = stream(seed, 'scan noise'), stream(seed, 'scan dropouts')
        self._errors, self._lidar = errors, lidar

    def measured(self, true_m: Floats) -> NDArray[np.float32]:
        """The measured ranges of a scan, shape (rays,), NaN for a failed measurement.

        Args:
            true_m: shape (rays,), infinite for no obstacle.
        """
        rays = self._lidar.rays
        ranges = true_m + self._errors.noise_m * self._rng.standard_normal(rays)
        ranges = np.where(ranges > self._lidar.range_min_m, ranges, np.inf)
        if self._errors.dropout:
            ranges[self._lost.random(rays) < self._errors.dropout] = np.nan
        return ranges.astype(np.float32)
