"""The robot's camera: where it is mounted, its intrinsics, the noise of its pictures."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.sim.world.meshes import Floats, rotation_y, rotation_z
from semantic_nav.sim.world.streams import stream

# Columns: the optical axes (right, down, forward) in the camera's body frame, REP 103.
BODY_R_OPTICAL = np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]])
COLOUR_NOISE = 1.3
DEPTH_NOISE_PER_M = 0.0012
DEPTH_RANGE_M = (0.25, 8.0)
_BANK = 1 << 20


@dataclass(frozen=True)
class CameraModel:
    """An ideal pinhole with square pixels; colour and depth share it.

    Attributes:
        width, height: of the picture in pixels.
        hfov_rad: horizontal field of view.
        mount: x, y, z of the camera in base_link, metres.
        pitch_rad: how far it looks down.
    """

    width: int = 640
    height: int = 480
    hfov_rad: float = math.radians(72)
    mount: tuple[float, float, float] = (0.0, 0.0, 0.95)
    pitch_rad: float = math.radians(12)

    @property
    def focal_px(self) -> float:
        """fx and fy."""
        return self.width / 2 / math.tan(self.hfov_rad / 2)

    @property
    def centre_px(self) -> tuple[float, float]:
        """cx and cy, where the middle of the upper left pixel is (0, 0)."""
        return (self.width - 1) / 2, (self.height - 1) / 2

    @property
    def fovy_deg(self) -> float:
        """The vertical field of view, which is what the renderer wants."""
        return math.degrees(2 * math.atan(self.height / 2 / self.focal_px))

    @property
    def base_t_camera(self) -> Transform:
        """The transform from camera_link (x forward, z up) to base_link."""
        half = self.pitch_rad / 2
        return Transform(self.mount, (0.0, math.sin(half), 0.0, math.cos(half)))

    def position(self, base: Pose2D) -> Floats:
        """Return the camera's position in the map for a pose of the base, shape (3,)."""
        at: Floats = rotation_z(base.yaw) @ self.mount + np.array([base.x, base.y, 0.0])
        return at

    def map_r_optical(self, base: Pose2D) -> Floats:
        """Return the optical axes in the map for a pose of the base, as columns, shape (3, 3)."""
        axes: Floats = rotation_z(base.yaw) @ rotation_y(self.pitch_rad) @ BODY_R_OPTICAL
        return axes


CAMERA_T_OPTICAL = Transform((0.0, 0.0, 0.0), (-0.5, 0.5, -0.5, 0.5))


class SensorNoise:
    """Light noise for pictures, drawn from a bank that was filled once."""

    def __init__(self, seed: int) -> None:
        self._rng = stream(seed, 'camera noise')
        bank = self._rng.standard_normal(_BANK).astype(np.float32)
        self._normal = bank
        self._colour = np.rint(COLOUR_NOISE * bank).astype(np.int8)

    def colour(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the picture, uint8, with noise of about COLOUR_NOISE levels."""
        noisy = picture.astype(np.int16)
        noisy += self._colour[self._places(picture.size)].reshape(picture.shape)
        np.clip(noisy, 0, 255, out=noisy)
        return noisy.astype(np.uint8)

    def depth_mm(self, depth_m: NDArray[np.float32]) -> NDArray[np.uint16]:
        """Return depth as a sensor gives it: uint16 millimetres, 0 where it sees nothing.

        The noise grows with the square of the distance, as that of stereo cameras does.

        Args:
            depth_m: true depth along the optical axis, metres, infinite for none.
        """
        seen = (depth_m > DEPTH_RANGE_M[0]) & (depth_m < DEPTH_RANGE_M[1])
        depth = np.where(seen, depth_m, np.float32(0))
        noise = self._normal[self._places(depth.size)].reshape(depth.shape)
        depth = depth + np.float32(DEPTH_NOISE_PER_M) * depth * depth * noise
        millimetres: NDArray[np.float32] = np.rint(depth * np.float32(1000))
        return millimetres.astype(np.uint16)

    def _places(self, count: int) -> slice | NDArray[np.int64]:
        """Return so many places of the bank from a random one on, going round if need be."""
        start = int(self._rng.integers(_BANK))
        if start + count <= _BANK:
            return slice(start, start + count)
        return np.arange(start, start + count) % _BANK
