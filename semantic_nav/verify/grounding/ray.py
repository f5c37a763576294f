"""The direction in which a look shows a thing, and how well a box tells it."""

import math
from dataclasses import dataclass, replace

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Transform, moved
from semantic_nav.contracts.hypothesis import Box

#: The middle of a box errs by this share of it, and so many per mille of the picture.
_MIDDLE_ERROR, _MIDDLE_ERROR_PER_MILLE = 0.03, 2.0


@dataclass(frozen=True)
class Ray:
    """The direction in which one look without depth shows a thing, in the map frame.

    Attributes:
        eye: where the camera was.
        towards: unit vector.
        error_rad: standard deviation of the direction, each way.
        range_m: how far off the thing is, by what bounds it in this look alone.
        range_error_m: standard deviation of that.
    """

    eye: Point
    towards: Point
    error_rad: float
    range_m: float
    range_error_m: float

    def displaced(self, new_T_old: Transform) -> 'Ray':
        """Return it after the localisation has moved the map under the robot."""
        turn = replace(new_T_old, translation=(0.0, 0.0, 0.0))
        return replace(self, eye=moved(new_T_old, self.eye), towards=moved(turn, self.towards))


def middle_error_rad(box: Box, intrinsics: Intrinsics) -> float:
    """Return the error of the direction of a box's middle, each way."""
    across, down = ((_MIDDLE_ERROR * (high - low) + _MIDDLE_ERROR_PER_MILLE) / 1000.0 * pixels
                    / focal for low, high, pixels, focal in (
                        (box[0], box[2], intrinsics.width_px, intrinsics.fx),
                        (box[1], box[3], intrinsics.height_px, intrinsics.fy)))
    return math.hypot(across, down) / math.sqrt(2.0)
