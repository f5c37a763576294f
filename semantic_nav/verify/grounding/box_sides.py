"""How far what is in a box goes on without a step: in the box, and across its sides."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

#: A surface that goes on has no step between two pixels, other than of noise, in metres.
_STEP_M = 0.06
#: It does so along this share of an edge.
_EDGE_SHARE = 0.5


def across_sides(left_px: float, right_px: float, error_px: float,
                 width_px: int) -> tuple[slice, ...]:
    """Return the columns around the left and the right edge of a box, by which it may err.

    Args:
        left_px, right_px: where the edges are drawn.
        error_px: by how much they may lie elsewhere.
        width_px: of the picture; an edge too near to its end has no columns.
    """
    outwards = max(2, int(np.ceil(error_px)))
    # What covers more than half of the box covers its middle, from whichever side.
    inwards = max(2, min(outwards, int(right_px - left_px) // 2))
    around = (slice(int(left_px) - outwards, int(left_px) + inwards + 1),
              slice(int(right_px) - inwards, int(right_px) + outwards + 1))
    return tuple(columns for columns in around if columns.start >= 0 and columns.stop <= width_px)


def goes_on(across_m: NDArray[np.float64], surface: NDArray[np.bool_]) -> bool:
    """Tell whether a surface goes on from inside a box to outside, along most of an edge.

    Args:
        across_m: depth around the edge, shape (height, columns).
        surface: which of these pixels may belong to it, same shape.
    """
    smooth = (np.abs(np.diff(across_m, axis=1)) <= _STEP_M).all(axis=1)
    return bool((surface.all(axis=1) & smooth).mean() >= _EDGE_SHARE)


def all_of_it(window_m: NDArray[np.float64], part: NDArray[np.bool_],
              of_something: NDArray[np.bool_], stride: int) -> NDArray[np.bool_]:
    """Return the pixels to which a part of an object leads without a step.

    A bed is seen from its foot over two metres of depth: no part of it is something behind it.

    Args:
        window_m: depth, shape (height, width), 0 where nothing was measured.
        part: pixels of the object, same shape.
        of_something: pixels that may belong to it, same shape.
        stride: from pixel to pixel of the picture.
    """
    smooth = of_something.copy()
    for depth, mask in ((window_m, smooth), (window_m.T, smooth.T)):
        steps = np.abs(np.diff(depth, axis=0)) > _STEP_M * stride
        steps &= (depth[1:] > 0) & (depth[:-1] > 0)
        mask[1:] &= ~steps
        mask[:-1] &= ~steps
    whole: NDArray[np.bool_] = ndimage.binary_propagation(part & smooth, mask=smooth)
    return whole
