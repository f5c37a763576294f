"""Bearing of an object in a look, and its error."""

import math
from dataclasses import dataclass, replace

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Transform, moved
from semantic_nav.contracts.hypothesis import Box

#: Error of the middle of a box, as a share of the box and in per mille of the picture.
_MIDDLE_ERROR, _MIDDLE_ERROR_PER_MILLE = 0.03, 2.0


@dataclass(frozen=True)
class Ray:
    """Bearing of an object in one look without depth, in the map frame.

    Attributes:
        eye: position of the camera, in m.
        towards: unit vector.
        error_rad: standard deviation of the direction, along each axis.
        range_m: distance of the object by this look alone.
        range_error_m: standard deviation of the range.
    """

    eye: Point
    towards: Point
    error_rad: float
    range_m: float
    range_error_m: float

    def displaced(self, new_T_old: Transform) -> 'Ray':
        """The ray after a correction of the localisation."""
        turn = replace(new_T_old, translation=(0.0, 0.0, 0.0))
        return replace(self, eye=moved(new_T_old, self.eye), towards=moved(turn, self.towards))


def middle_error_rad(box: Box, intrinsics: Intrinsics) -> float:
    """Error of the direction of a box's middle, along each axis, in rad."""
    across, down = ((_MIDDLE_ERROR * (high - low) + _MIDDLE_ERROR_PER_MILLE) / 1000.0 * pixels
                    / focal for low, high, pixels, focal in (
                        (box[0], box[2], intrinsics.width_px, intrinsics.fx),
                        (box[1], box[3], intrinsics.height_px, intrinsics.fy)))
    return math.hypot(across, down) / math.sqrt(2.0)
