"""The noise of the camera's pictures."""

from copy import deepcopy
from functools import cached_property, lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.robot.profile import CameraErrors
from semantic_nav_sim.world.random_streams import stream

DEPTH_RANGE_M = (0.25, 8.0)
HOLE_PX = 16
T = TypeVar('T', bound=np.generic)
_BANK = 1 << 20


class SensorNoise:
    """Cheap noise for pictures, drawn from a bank that is filled once."""

    def __init__(self, seed: int, errors: CameraErrors) -> None:
        rng, self._normal = _filled(seed)
        self._rng, self._holes = deepcopy(rng), stream(seed, 'depth holes')
        self._errors = errors

    @cached_property
    def _colour(self) -> NDArray[np.int8]:
        return np.rint(self._errors.colour * self._normal).astype(np.int8)

    def colour(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Add noise to a picture, uint8."""
        noisy = picture.astype(np.int16)
        noisy += self._part_of(self._colour, picture.size).reshape(picture.shape)
        np.clip(noisy, 0, 255, out=noisy)
        return noisy.astype(np.uint8)

    def depth_mm(self, depth_m: NDArray[np.float32]) -> NDArray[np.uint16]:
        """Convert depth to sensor values: uint16 in millimetres, 0 for no measurement.

        Args:
            depth_m: true depth along the optical axis, in metres, infinite for none.
        """
        seen = (depth_m > DEPTH_RANGE_M[0]) & (depth_m < DEPTH_RANGE_M[1])
        depth = np.where(seen, depth_m, np.float32(0))
        noise = self._part_of(self._normal, depth.size).reshape(depth.shape)
        depth = depth + np.float32(self._errors.depth_per_m) * depth * depth * noise
        if self._errors.depth_step_per_m:
            depth = self._in_steps(depth)
        if self._errors.depth_holes:
            depth[self._patches(depth.shape)] = 0
        millimetres: NDArray[np.float32] = np.rint(depth * np.float32(1000))
        return millimetres.astype(np.uint16)

    def _in_steps(self, depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
        """Round depths to whole steps of disparity, which is the inverse of depth."""
        step = np.float32(self._errors.depth_step_per_m)
        steps = np.rint(1 / (np.maximum(depth_m, DEPTH_RANGE_M[0]) * step))
        return np.where(depth_m > 0, 1 / (np.maximum(steps, 1) * step), np.float32(0))

    def _patches(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Mask of the pixels without depth, shape (height, width)."""
        height, width = shape
        coarse = self._holes.random((-(-height // HOLE_PX), -(-width // HOLE_PX)))
        holes = coarse < self._errors.depth_holes
        return holes.repeat(HOLE_PX, axis=0).repeat(HOLE_PX, axis=1)[:height, :width]

    def _part_of(self, bank: NDArray[T], count: int) -> NDArray[T]:
        """Return `count` values of a bank from a random start, cyclically."""
        start = int(self._rng.integers(_BANK))
        part = bank[start:start + count]
        return part if part.size == count else np.resize(np.roll(bank, -start), count)


@lru_cache(maxsize=8)
def _filled(seed: int) -> tuple[np.random.Generator, NDArray[np.float32]]:
    """A bank and the generator that filled it, of which each user must take a copy.

    It is cached, since it takes as long as a second of a mission with the light body.
    """
    rng = stream(seed, 'camera noise')
    bank = rng.standard_normal(_BANK).astype(np.float32)
    bank.flags.writeable = False
    return rng, bank
