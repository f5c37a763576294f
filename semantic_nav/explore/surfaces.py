"""Surfaces that a look showed, as points over the floor."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SeenSurfaces:
    """Surfaces that a look shows within its range, in the map frame.

    Attributes:
        x, y: position of the camera, in m.
        yaw: heading of its optical axis, in rad.
        half_angle_rad: half of its horizontal field of view.
        range_m: range within which surfaces count.
        points: points on all surfaces, in m, shape (n, 2).
        ends: end of the view in each direction, in m, shape (m, 2); None: the farthest surface.
    """

    x: float
    y: float
    yaw: float
    half_angle_rad: float
    range_m: float
    points: NDArray[np.float64]
    ends: NDArray[np.float64] | None = None

    def within(self, range_m: float) -> 'SeenSurfaces':
        """The surfaces within a distance of the camera, in m over the floor."""
        return replace(self, range_m=range_m, points=self._nearer(self.points, range_m),
                       ends=self.ends if self.ends is None else self._nearer(self.ends, range_m))

    def _nearer(self, points: NDArray[np.float64], range_m: float) -> NDArray[np.float64]:
        return points[np.hypot(points[:, 0] - self.x, points[:, 1] - self.y) <= range_m]
