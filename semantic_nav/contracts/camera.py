"""What a camera's calibration says."""

from dataclasses import dataclass, replace
from typing import Self

#: Width and height of a picture in pixels.
Size = tuple[int, int]


@dataclass(frozen=True)
class Distortion:
    """What a lens does, as sensor_msgs/CameraInfo says it.

    Attributes:
        model: plumb_bob, rational_polynomial or equidistant.
        coefficients: in the order of OpenCV.
    """

    model: str
    coefficients: tuple[float, ...]


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole camera, in pixels (sensor_msgs/CameraInfo, matrix K).

    As with OpenCV the middle of the upper left pixel is (0, 0).

    Attributes:
        distortion: of the lens through which the picture was taken, which is undone in its depth;
            None where the picture was rectified.
    """

    width_px: int
    height_px: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: Distortion | None = None

    def resized(self, width_px: int, height_px: int) -> Self:
        """Return those of the same picture in other pixels."""
        across, down = width_px / self.width_px, height_px / self.height_px
        # The upper left pixel begins half of one before its middle.
        return replace(self, width_px=width_px, height_px=height_px, fx=self.fx * across,
                       fy=self.fy * down, cx=(self.cx + 0.5) * across - 0.5,
                       cy=(self.cy + 0.5) * down - 0.5)


def is_same_view(one: Size, other: Size) -> bool:
    """Tell whether pictures of two sizes can show the same: in one scale for both axes.

    Sizes are rounded to whole pixels, so the smaller picture may be off by one.
    """
    (narrow, low), (wide, high) = sorted((one, other))
    if min(narrow, low, wide, high) <= 0:
        return False
    return abs(low - high * narrow / wide) <= 1.0 or abs(narrow - wide * low / high) <= 1.0
