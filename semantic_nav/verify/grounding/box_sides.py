"""Continuity of depth without a step, inside a box and across its sides."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

#: Largest step of depth between two pixels of one surface, which allows for noise, in m.
_STEP_M = 0.06
#: Share of an edge along which a surface must go on.
_EDGE_SHARE = 0.5


def across_sides(left_px: float, right_px: float, error_px: float,
                 width_px: int) -> tuple[slice, ...]:
    """The columns around the left and the right edge of a box, within its error.

    Args:
        left_px, right_px: the drawn edges.
        error_px: largest error of an edge.
        width_px: of the picture; an edge too near to its end has no columns.
    """
    outwards = max(2, int(np.ceil(error_px)))
    # Something that covers more than half of the box covers its middle from either side.
    inwards = max(2, min(outwards, int(right_px - left_px) // 2))
    around = (slice(int(left_px) - outwards, int(left_px) + inwards + 1),
              slice(int(right_px) - inwards, int(right_px) + outwards + 1))
    return tuple(columns for columns in around if columns.start >= 0 and columns.stop <= width_px)


def goes_on(across_m: NDArray[np.float64], surface: NDArray[np.bool_]) -> bool:
    """Tell whether a surface goes on from inside a box to outside, along most of an edge.

    Args:
        across_m: depth around the edge, shape (height, columns).
        surface: mask of the pixels that may belong to it, of equal shape.
    """
    smooth = (np.abs(np.diff(across_m, axis=1)) <= _STEP_M).all(axis=1)
    return bool((surface.all(axis=1) & smooth).mean() >= _EDGE_SHARE)


def all_of_it(window_m: NDArray[np.float64], part: NDArray[np.bool_],
              of_something: NDArray[np.bool_], stride: int) -> NDArray[np.bool_]:
    """Pixels connected with a part of an object without a step.

    A bed seen from its foot extends over two metres of depth, and all of that is one object.

    Args:
        window_m: depth, shape (height, width), 0 for no measurement.
        part: mask of pixels of the object, of equal shape.
        of_something: mask of pixels that may belong to it, of equal shape.
        stride: between the pixels that were read, in pixels of the picture.
    """
    smooth = of_something.copy()
    for depth, mask in ((window_m, smooth), (window_m.T, smooth.T)):
        steps = np.abs(np.diff(depth, axis=0)) > _STEP_M * stride
        steps &= (depth[1:] > 0) & (depth[:-1] > 0)
        mask[1:] &= ~steps
        mask[:-1] &= ~steps
    whole: NDArray[np.bool_] = ndimage.binary_propagation(part & smooth, mask=smooth)
    return whole
