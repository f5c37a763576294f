"""Distances from which the robot has a place in the picture."""

import math
from dataclasses import dataclass

import numpy as np

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.grounding.picture_outline import outline_of


@dataclass(frozen=True)
class CameraView:
    """A camera and its mount on the robot at one time.

    Attributes:
        odom_T_base, odom_T_camera: at that time; only the pose of one in the other matters.
    """

    intrinsics: Intrinsics
    odom_T_base: Transform
    odom_T_camera: Transform

    @property
    def half_angle_rad(self) -> float:
        """Half of the horizontal field of view, in rad."""
        return outline_of(self.intrinsics, self.odom_T_camera.matrix[:3, :3]).half_across_rad

    @property
    def heading_rad(self) -> float:
        """Yaw of the camera against the heading of the robot, in rad, positive to the left."""
        axes = (self.odom_T_base.inverse() @ self.odom_T_camera).matrix[:3, :3]
        return math.atan2(float(axes[1, 2]), float(axes[0, 2]))

    def in_view_m(self, height_m: float, margin: float = 0.0) -> tuple[float, float]:
        """Least and largest distance of the robot from a place in the picture.

        Args:
            height_m: of the place over the floor.
            margin: strip at the upper and the lower edge of the picture that does not count, as a
                share of its width.

        Returns:
            Distances between base and place in m; the least is inf if the camera never looks so
            high or so low.
        """
        outline = outline_of(self.intrinsics, self.odom_T_camera.matrix[:3, :3],
                             margin * self.intrinsics.width_px)
        eye, high, low = self.odom_T_camera.apply(
            np.array([np.zeros(3), outline.high, outline.low])).tolist()
        rise_m = height_m - eye[2]
        # Lower edge: slope * distance <= rise. Upper edge: both signs turned.
        bounds = ((_slope(eye, low), rise_m), (-_slope(eye, high), -rise_m))
        near_m = max(0.0, *(rise / slope for slope, rise in bounds if slope < 0.0),
                     *(math.inf for slope, rise in bounds if slope >= 0.0 > rise))
        far_m = min((max(0.0, rise / slope) for slope, rise in bounds if slope > 0.0),
                    default=math.inf)
        # The camera may sit in front of the robot's middle.
        x, y, _ = self.odom_T_base.translation
        dx, dy = low[0] - eye[0], low[1] - eye[1]
        run = math.hypot(dx, dy)
        before_m = ((eye[0] - x) * dx + (eye[1] - y) * dy) / run if run else 0.0
        return max(0.0, before_m + near_m), max(0.0, before_m + far_m)


def _slope(eye: list[float], ahead: list[float]) -> float:
    """Rise of a ray per metre over the floor."""
    run = math.hypot(ahead[0] - eye[0], ahead[1] - eye[1])
    return (ahead[2] - eye[2]) / run if run else math.copysign(math.inf, ahead[2] - eye[2])
