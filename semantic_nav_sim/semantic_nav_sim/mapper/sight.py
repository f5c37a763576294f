"""What a depth picture sees through."""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter1d

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.geometry import Transform

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: What a picture shows so little deeper may be the very same surface, in metres.
_MARGIN_M = 0.03
#: Of the pixels so far to the sides the nearest counts, or it would be looked past thin things, in
#: radians. Not above and below: floor that is nearer hides nothing.
_ASIDE_RAD = 0.012
_NEAREST_M = 0.1
_NOTHING = np.uint16(np.iinfo(np.uint16).max)


def seen_through(depth_mm: NDArray[np.uint16], intrinsics: Intrinsics, map_T_camera: Transform,
                 edges: tuple[Floats, Floats, Floats], range_m: float) -> Mask:
    """Tell which boxes of a lattice a picture sees through: at all corners it is deeper.

    Args:
        depth_mm: shape (height, width), along the optical axis, 0 for none.
        intrinsics: of this picture.
        map_T_camera: from the optical frame.
        edges: z, y and x of the lattice's planes in the map, in metres.
        range_m: what lies farther is not judged.

    Returns:
        Shape (len(z) - 1, len(y) - 1, len(x) - 1).
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
