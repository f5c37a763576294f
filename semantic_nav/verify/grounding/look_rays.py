"""Rays of a depth picture, of some pixels in each direction."""

import numpy as np
from numpy.typing import NDArray

from semantic_nav.verify.events import LookFrozen

#: Pixels in each direction that are looked at, at most about.
_PIXELS = 120


def rays_of(look: LookFrozen) -> tuple[NDArray[np.uint16], NDArray[np.float64], float]:
    """Return depth in mm of some pixels, their rays, and how high over the floor they begin.

    Rays are in the odometry's axes, of shape (rows, columns, 3), and 1 long along the camera's
    axis.
    """
    camera, axes = look.intrinsics, look.odom_T_camera.matrix[:3, :3]
    rows, columns = (np.arange(0, size, max(1, size // _PIXELS))
                     for size in look.depth_mm.shape)
    across, down = np.meshgrid((columns - camera.cx) / camera.fx, (rows - camera.cy) / camera.fy)
    rays = np.stack([across, down, np.ones_like(across)], axis=2) @ axes.T
    return look.depth_mm[np.ix_(rows, columns)], rays, look.odom_T_camera.translation[2]
