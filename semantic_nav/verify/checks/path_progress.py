"""The path on which a robot set out, and how far along it the robot got."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D

#: A robot farther than this from its path is not on it, in metres: Nav2 plans anew on the way.
_BESIDE_M = 0.5
#: So far ahead of where it was last the robot may be on its path, in metres: what comes back past
#: the robot later is another part.
_AHEAD_M = 2.0


@dataclass(frozen=True, eq=False)
class Way:
    """A path and the farthest of its points that the robot came past.

    Attributes:
        points: of the path in the map frame, shape (n, 2), n at least 1.
    """

    points: NDArray[np.float64]
    index: int = 0

    def on(self, robot: Pose2D) -> 'Way':
        """Return it with the robot at a pose."""
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
        """How far along it the robot got, in metres."""
        return float(self._lengths_m[self.index])

    def point_at(self, ahead_m: float) -> tuple[float, float]:
        """Return the point so far ahead of where the robot got to, or the last one."""
        lengths_m = self._lengths_m
        index = int(np.searchsorted(lengths_m, lengths_m[self.index] + ahead_m))
        x, y = self.points[min(index, len(self.points) - 1)].tolist()
        return x, y

    @cached_property
    def _lengths_m(self) -> NDArray[np.float64]:
        steps = np.diff(self.points, axis=0)
        lengths_m = np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1])
        return np.concatenate(([0.0], np.cumsum(lengths_m)))
