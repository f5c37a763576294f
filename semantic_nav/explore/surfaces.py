"""What a look showed, as points over the floor."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SeenSurfaces:
    """What a look shows within the range that counts, in the map frame.

    Attributes:
        x, y: of the camera.
        yaw: of its optical axis.
        half_angle_rad: half of its horizontal field of view.
        range_m: how far surfaces count.
        points: on all surfaces, shape (n, 2).
        ends: where the view ended in each direction, shape (m, 2); None: at the farthest surface.
    """

    x: float
    y: float
    yaw: float
    half_angle_rad: float
    range_m: float
    points: NDArray[np.float64]
    ends: NDArray[np.float64] | None = None

    def within(self, range_m: float) -> 'SeenSurfaces':
        """Return the part of it that lies nearer, in metres from the camera over the floor."""
        return replace(self, range_m=range_m, points=self._nearer(self.points, range_m),
                       ends=self.ends if self.ends is None else self._nearer(self.ends, range_m))

    def _nearer(self, points: NDArray[np.float64], range_m: float) -> NDArray[np.float64]:
        return points[np.hypot(points[:, 0] - self.x, points[:, 1] - self.y) <= range_m]
