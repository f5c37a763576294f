"""A round robot on a path: its middle on the costmap, and the unknown floor beside it.

Where it touches something the costmap says of its middle. How wide it is, that says too: so near
to what is occupied its middle may come.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, INSCRIBED, LETHAL, OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.body import MOVED, Met, Points, close_together

#: The costmap is read so far about the path.
_ABOUT_M = 1.0
#: No round robot is held to be wider, in metres.
_MOST_M = 1.0


@dataclass(frozen=True, eq=False)
class RoundBody:
    """A robot whose costmap alone tells where it touches something.

    Attributes:
        robot: where it stands now: what it touches there, and what lies under it, it leaves.
    """

    map: OccupancyGrid
    costmap: OccupancyGrid
    robot: Pose2D

    def met_along(self, points: Points) -> Met | None:
        """Return what it would come over along a path; see `Body.met_along`."""
        if len(points) < 2:
            return None
        cell_m = min(self.costmap.resolution_m, self.map.resolution_m)
        points = close_together(points, MOVED * cell_m, self.costmap.diagonal_m)
        # What it touches now, and what lies under it, it leaves behind.
        here_m = self._radius_m(points) + cell_m
        return self._touched(points, here_m) or self._unknown(points, here_m, cell_m)

    def _touched(self, points: Points, here_m: float) -> Met | None:
        x, y = points[:, 0], points[:, 1]
        cost = self.costmap.values_at(x, y)
        touches = (cost >= LETHAL) | (self.map.values_at(x, y) >= OCCUPIED)
        # It may have to get away from beside something first.
        beside = cost >= INSCRIBED
        touches |= beside & ~np.logical_and.accumulate(beside)
        return _met(self._away(points[touches], here_m), Code.COLLISION_DETECTED)

    def _unknown(self, points: Points, here_m: float, cell_m: float) -> Met | None:
        radius_m = here_m - cell_m
        reach = math.floor(radius_m / cell_m)
        offsets = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1) * cell_m] * 2),
                           axis=-1).reshape(-1, 2)
        offsets = offsets[(offsets * offsets).sum(axis=1) <= radius_m * radius_m]
        under = (points[:, None] + offsets).reshape(-1, 2)
        x, y = under[:, 0], under[:, 1]
        hits = under[(self.costmap.values_at(x, y) == UNKNOWN)
                     | (self.map.values_at(x, y) == UNKNOWN)]
        return _met(self._away(hits, here_m), Code.UNKNOWN_SPACE)

    def _away(self, points: Points, here_m: float) -> Points:
        """Return those that lie farther from the robot."""
        away = points - (self.robot.x, self.robot.y)
        far: Points = points[(away * away).sum(axis=1) > here_m * here_m]
        return far

    def _radius_m(self, points: Points) -> float:
        """Return how wide the costmap holds it to be; 0 where nothing stands about the path."""
        grid = self.costmap
        (top, left), (bottom, right) = (
            grid.cell_of(*(points.min(axis=0) - _ABOUT_M)),
            grid.cell_of(*(points.max(axis=0) + _ABOUT_M)))
        cells = grid.cells[max(0, top):max(0, bottom + 1), max(0, left):max(0, right + 1)]
        lethal, drivable = cells >= LETHAL, (cells >= FREE) & (cells < INSCRIBED)
        if not lethal.any() or not drivable.any():
            return 0.0
        away_m: NDArray[np.float64] = ndimage.distance_transform_edt(
            ~lethal, sampling=grid.resolution_m)
        # From middle to middle: what lies less than a cell within the edge may not be under it.
        return min(max(0.0, float(away_m[drivable].min()) - grid.resolution_m), _MOST_M)


def _met(hits: Points, code: Code) -> Met | None:
    return Met(float(hits[0, 0]), float(hits[0, 1]), code) if len(hits) else None
