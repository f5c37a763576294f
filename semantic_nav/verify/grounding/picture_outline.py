"""Outline of a picture in the world, for a camera mounted at any roll."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Intrinsics

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Outline:
    """The edges of a picture.

    Attributes:
        high, low: rays through the middle of the edges that are upper and lower in the world, in
            the frame of the camera, shape (3,), with z = 1.
        half_across_rad: half of the field of view from side to side.
    """

    high: _Array
    low: _Array
    half_across_rad: float


def outline_of(intrinsics: Intrinsics, axes: _Array, margin_px: float = 0.0) -> Outline:
    """The outline of a camera's picture.

    Args:
        intrinsics: of the camera.
        axes: its axes in a frame whose z points up, as columns, shape (3, 3).
        margin_px: strip that is left out at the upper and the lower edge.
    """
    # Downward components of the picture's x and y.
    along_x, along_y = -float(axes[2, 0]), -float(axes[2, 1])
    if abs(along_y) >= abs(along_x):
        first, last = (np.array([0.0, (v - 0.5 - intrinsics.cy) / intrinsics.fy, 1.0])
                       for v in (margin_px, intrinsics.height_px - margin_px))
        down, half_px, focal_px = along_y, intrinsics.width_px / 2, intrinsics.fx
    else:
        first, last = (np.array([(u - 0.5 - intrinsics.cx) / intrinsics.fx, 0.0, 1.0])
                       for u in (margin_px, intrinsics.width_px - margin_px))
        down, half_px, focal_px = along_x, intrinsics.height_px / 2, intrinsics.fy
    high, low = (first, last) if down >= 0.0 else (last, first)
    return Outline(high, low, math.atan2(half_px, focal_px))
