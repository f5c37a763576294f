"""Progress of the robot along the path on which it set out."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D

#: Distance beyond which the robot is off its path, in m: Nav2 replans on the way.
_BESIDE_M = 0.5
#: Search range ahead of the last progress, in m: a later part of the path that comes back past the
#: robot does not count.
_AHEAD_M = 2.0


@dataclass(frozen=True, eq=False)
class PathProgress:
    """A path and the farthest of its points that the robot has passed.

    Attributes:
        points: of the path in the map frame, in m, shape (n, 2), n at least 1.
    """

    points: NDArray[np.float64]
    index: int = 0

    def on(self, robot: Pose2D) -> 'PathProgress':
        """The progress with the robot at a pose in the map frame."""
        lengths_m = self._lengths_m
        last = int(np.searchsorted(lengths_m, lengths_m[self.index] + _AHEAD_M, 'right'))
        offsets = self.points[self.index:last] - (robot.x, robot.y)
        squared = offsets[:, 0] * offsets[:, 0] + offsets[:, 1] * offsets[:, 1]
        nearest = int(np.argmin(squared))
        if squared[nearest] > _BESIDE_M**2:
            return self
        return replace(self, index=self.index + nearest)

    @property
    def covered_m(self) -> float:
        """Length of the path up to the farthest point passed, in m."""
        return float(self._lengths_m[self.index])

    def point_at(self, ahead_m: float) -> tuple[float, float]:
        """Point of the path at a distance ahead of the farthest one passed, or its last point."""
        lengths_m = self._lengths_m
        index = int(np.searchsorted(lengths_m, lengths_m[self.index] + ahead_m))
        x, y = self.points[min(index, len(self.points) - 1)].tolist()
        return x, y

    @cached_property
    def _lengths_m(self) -> NDArray[np.float64]:
        steps = np.diff(self.points, axis=0)
        lengths_m = np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1])
        return np.concatenate(([0.0], np.cumsum(lengths_m)))
