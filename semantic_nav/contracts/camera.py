"""What a camera's calibration says."""

import math
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

    @property
    def calibrated(self) -> bool:
        """Tell whether they can be used: an uncalibrated camera has a matrix of zeros."""
        values = (self.fx, self.fy, self.cx, self.cy)
        return (all(map(math.isfinite, values)) and self.fx > 0 and self.fy > 0
                and self.width_px > 0 and self.height_px > 0)
