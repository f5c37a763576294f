"""Visibility in depth pictures: the parts of space that they see through."""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter1d

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.geometry import Transform

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Margin of depth within which two surfaces may be one, in metres.
_MARGIN_M = 0.03
#: The nearest pixel counts within this angle to both sides, in radians, so that thin things are
#: not seen through. Not above and below: nearer floor hides nothing.
_ASIDE_RAD = 0.012
_NEAREST_M = 0.1
_NOTHING = np.uint16(np.iinfo(np.uint16).max)


def seen_through(depth_mm: NDArray[np.uint16], intrinsics: Intrinsics, map_T_camera: Transform,
                 edges: tuple[Floats, Floats, Floats], range_m: float) -> Mask:
    """Mask of the boxes of a lattice that a picture sees through: it is deeper at all corners.

    Args:
        depth_mm: shape (height, width), along the optical axis, 0 for no measurement.
        intrinsics: of this picture.
        map_T_camera: of the optical frame.
        edges: z, y and x of the lattice's planes in the map, in metres.
        range_m: largest depth that is judged.

    Returns:
        Mask of shape (len(z) - 1, len(y) - 1, len(x) - 1).
    """
    z, y, x = edges
    axes, (eye_x, eye_y, eye_z) = map_T_camera.matrix[:3, :3], map_T_camera.translation
    right, down, deep = (
        (x - eye_x) * axes[0, axis] + (y - eye_y)[:, None] * axes[1, axis]
        + (z - eye_z)[:, None, None] * axes[2, axis] for axis in range(3))
    ahead = (deep > _NEAREST_M) & (deep <= range_m)
    along = np.where(ahead, deep, 1.0)
    column = np.rint(intrinsics.fx * right / along + intrinsics.cx)
    row = np.rint(intrinsics.fy * down / along + intrinsics.cy)
    height, width = depth_mm.shape
    judged = ahead & (column >= 0) & (column < width) & (row >= 0) & (row < height)
    aside_px = max(1, round(_ASIDE_RAD * intrinsics.fx))
    nearest = minimum_filter1d(np.where(depth_mm > 0, depth_mm, _NOTHING), 2 * aside_px + 1)
    measured = nearest[row[judged].astype(np.intp), column[judged].astype(np.intp)]
    deeper = np.zeros(judged.shape, bool)
    deeper[judged] = (measured != _NOTHING) & (measured > (deep[judged] + _MARGIN_M) * 1000.0)
    for axis in range(3):
        low, high = np.arange(deeper.shape[axis] - 1), np.arange(1, deeper.shape[axis])
        deeper = deeper.take(low, axis) & deeper.take(high, axis)
    return deeper
