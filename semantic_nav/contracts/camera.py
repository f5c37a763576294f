"""Camera calibration: intrinsics and distortion."""

from dataclasses import dataclass, replace
from typing import Self

#: Width and height of a picture in pixels.
Size = tuple[int, int]


@dataclass(frozen=True)
class Distortion:
    """Lens distortion, as in sensor_msgs/CameraInfo.

    Attributes:
        model: plumb_bob, rational_polynomial or equidistant.
        coefficients: coefficients in the order of OpenCV.
    """

    model: str
    coefficients: tuple[float, ...]


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole camera, in pixels (sensor_msgs/CameraInfo, matrix K).

    As in OpenCV, the centre of the upper left pixel is (0, 0).

    Attributes:
        distortion: distortion of the lens, which is undone in the picture's depth; None if the
            picture was rectified.
    """

    width_px: int
    height_px: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: Distortion | None = None

    def resized(self, width_px: int, height_px: int) -> Self:
        """The intrinsics of the same picture at another size in pixels."""
        across, down = width_px / self.width_px, height_px / self.height_px
        # A pixel's centre is half a pixel from its edge.
        return replace(self, width_px=width_px, height_px=height_px, fx=self.fx * across,
                       fy=self.fy * down, cx=(self.cx + 0.5) * across - 0.5,
                       cy=(self.cy + 0.5) * down - 0.5)


def is_same_view(one: Size, other: Size) -> bool:
    """Tell whether pictures of two sizes can show the same view, with one scale for both axes.

    Sizes are rounded to whole pixels, so the smaller picture may be off by one.
    """
    (narrow, low), (wide, high) = sorted((one, other))
    if min(narrow, low, wide, high) <= 0:
        return False
    return abs(low - high * narrow / wide) <= 1.0 or abs(narrow - wide * low / high) <= 1.0
