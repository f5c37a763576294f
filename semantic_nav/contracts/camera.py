"""What a camera's calibration says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole camera without distortion, in pixels (sensor_msgs/CameraInfo, matrix K)."""

    width_px: int
    height_px: int
    fx: float
    fy: float
    cx: float
    cy: float
