"""Where the robot must stand to have something in the picture."""

import math
from dataclasses import dataclass

import numpy as np

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.grounding.picture_outline import outline_of


@dataclass(frozen=True)
class CameraView:
    """A camera and how it sat on the robot at one moment.

    Attributes:
        odom_T_base, odom_T_camera: of that moment; only one in the other matters.
    """

    intrinsics: Intrinsics
    odom_T_base: Transform
    odom_T_camera: Transform

    @property
    def half_angle_rad(self) -> float:
        """Half of the horizontal field of view."""
        return outline_of(self.intrinsics, self.odom_T_camera.matrix[:3, :3]).half_across_rad

    @property
    def heading_rad(self) -> float:
        """Where it looks, from the heading of the robot, positive to the left."""
        axes = (self.odom_T_base.inverse() @ self.odom_T_camera).matrix[:3, :3]
        return math.atan2(float(axes[1, 2]), float(axes[0, 2]))

    def in_view_m(self, height_m: float, margin: float = 0.0) -> tuple[float, float]:
        """Return how near and how far the robot can stand from a place that is in the picture.

        Args:
            height_m: of the place over the floor.
            margin: what of the picture's height does not count, above and below, as a share of
                its width.

        Returns:
            Distances between base and place in m; from inf on where the camera does not look so
            high or so low at all.
        """
        outline = outline_of(self.intrinsics, self.odom_T_camera.matrix[:3, :3],
                             margin * self.intrinsics.width_px)
        eye, high, low = self.odom_T_camera.apply(
            np.array([np.zeros(3), outline.high, outline.low])).tolist()
        rise_m = height_m - eye[2]
        # slope * distance <= rise, for the lower edge, and the same upside down for the upper one.
        bounds = ((_slope(eye, low), rise_m), (-_slope(eye, high), -rise_m))
        near_m = max(0.0, *(rise / slope for slope, rise in bounds if slope < 0.0),
                     *(math.inf for slope, rise in bounds if slope >= 0.0 > rise))
        far_m = min((max(0.0, rise / slope) for slope, rise in bounds if slope > 0.0),
                    default=math.inf)
        # The camera may sit before the robot's middle.
        x, y, _ = self.odom_T_base.translation
        dx, dy = low[0] - eye[0], low[1] - eye[1]
        run = math.hypot(dx, dy)
        before_m = ((eye[0] - x) * dx + (eye[1] - y) * dy) / run if run else 0.0
        return max(0.0, before_m + near_m), max(0.0, before_m + far_m)


def _slope(eye: list[float], ahead: list[float]) -> float:
    """Return how far a ray rises on each metre over the floor."""
    run = math.hypot(ahead[0] - eye[0], ahead[1] - eye[1])
    return (ahead[2] - eye[2]) / run if run else math.copysign(math.inf, ahead[2] - eye[2])
