"""What a camera's calibration says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole camera without distortion, in pixels (sensor_msgs/CameraInfo, matrix K).

    As with OpenCV the middle of the upper left pixel is (0, 0).
    """

    width_px: int
    height_px: int
    fx: float
    fy: float
    cx: float
    cy: float
