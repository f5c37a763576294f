"""A camera of the robot: its mount and its intrinsics."""

import math
from dataclasses import dataclass, replace

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav_sim.world.meshes import Floats, rotation_y, rotation_z

# Columns: the optical axes (right, down, forward) in the camera's body frame, REP 103.
BODY_R_OPTICAL = np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]])


@dataclass(frozen=True)
class CameraModel:
    """An ideal pinhole with square pixels, for colour and depth alike.

    Attributes:
        width, height: of the picture, in pixels.
        hfov_rad: horizontal field of view.
        mount: x, y, z of the camera in base_link, in metres.
        pitch_rad: down from horizontal.
        yaw_rad: to the left of straight ahead.
    """

    width: int = 640
    height: int = 480
    hfov_rad: float = math.radians(72)
    mount: tuple[float, float, float] = (0.0, 0.0, 0.95)
    pitch_rad: float = math.radians(12)
    yaw_rad: float = 0.0

    def shrunk(self, times: int) -> 'CameraModel':
        """The camera with a resolution that many times smaller along each axis."""
        return replace(self, width=self.width // times, height=self.height // times)

    @property
    def focal_px(self) -> float:
        """The focal length, fx and fy."""
        return self.width / 2 / math.tan(self.hfov_rad / 2)

    @property
    def centre_px(self) -> tuple[float, float]:
        """The principal point cx and cy; the centre of the upper left pixel is (0, 0)."""
        return (self.width - 1) / 2, (self.height - 1) / 2

    @property
    def fovy_deg(self) -> float:
        """The vertical field of view, as the renderer needs it."""
        return math.degrees(2 * math.atan(self.height / 2 / self.focal_px))

    @property
    def base_t_camera(self) -> Transform:
        """The transform from camera_link (x forward, z up) to base_link."""
        down, left = self.pitch_rad / 2, self.yaw_rad / 2
        return Transform(self.mount, (
            0.0 - math.sin(left) * math.sin(down), math.cos(left) * math.sin(down),
            math.sin(left) * math.cos(down), math.cos(left) * math.cos(down)))

    def position(self, base: Pose2D) -> Floats:
        """The camera's position in the map frame for a pose of the base, shape (3,)."""
        at: Floats = rotation_z(base.yaw) @ self.mount + np.array([base.x, base.y, 0.0])
        return at

    def map_r_optical(self, base: Pose2D) -> Floats:
        """The optical axes in the map frame for a pose of the base, as columns, shape (3, 3)."""
        axes: Floats = (rotation_z(base.yaw + self.yaw_rad) @ rotation_y(self.pitch_rad)
                        @ BODY_R_OPTICAL)
        return axes


CAMERA_T_OPTICAL = Transform((0.0, 0.0, 0.0), (-0.5, 0.5, -0.5, 0.5))
