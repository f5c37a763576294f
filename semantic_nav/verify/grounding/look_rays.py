"""Rays of a subsampled depth picture."""

import numpy as np
from numpy.typing import NDArray

from semantic_nav.verify.events import LookFrozen

#: Approximate number of pixels that are used in each direction.
_PIXELS = 120


def rays_of(look: LookFrozen) -> tuple[NDArray[np.uint16], NDArray[np.float64], float]:
    """Depth in mm of some pixels, their rays, and the height of the camera over the floor in m.

    Rays are in the axes of the odometry, of shape (rows, columns, 3), with length 1 along the axis
    of the camera.
    """
    camera, axes = look.intrinsics, look.odom_T_camera.matrix[:3, :3]
    rows, columns = (np.arange(0, size, max(1, size // _PIXELS))
                     for size in look.depth_mm.shape)
    across, down = np.meshgrid((columns - camera.cx) / camera.fx, (rows - camera.cy) / camera.fy)
    rays = np.stack([across, down, np.ones_like(across)], axis=2) @ axes.T
    return look.depth_mm[np.ix_(rows, columns)], rays, look.odom_T_camera.translation[2]
