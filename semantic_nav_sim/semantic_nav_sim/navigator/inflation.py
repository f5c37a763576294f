"""Inflation: the cost of a cell by its distance from the nearest lethal one, as in Nav2."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

INSCRIBED, LETHAL = 253, 254


class Inflation:
    """Distances and costs around obstacles, up to the inflation radius.

    Args:
        robot_radius_m: Inscribed radius: cells nearer to an obstacle are INSCRIBED [m].
        inflation_radius_m: Distance up to which an obstacle raises the cost [m].
        cost_scaling: Decay of the cost beyond the robot's radius [1/m].
        resolution_m: Edge of a cell [m].

    Attributes:
        reach: Distance in cells up to which an obstacle changes cost or clearance.
        cost: uint8[n], cost of a cell, by the square of its distance in cells.
        clearance_m: float32[n], that distance [m], clipped to the reach.
    """

    def __init__(self, robot_radius_m: float, inflation_radius_m: float, cost_scaling: float,
                 resolution_m: float) -> None:
        # One cell more, so that clearance is right up to the inflation radius.
        self.reach = math.ceil(inflation_radius_m / resolution_m) + 1
        # The largest sum is twice the square of the reach.
        self._kind = np.int16 if 2 * self.reach ** 2 < 2 ** 15 else np.int32
        distance_m = np.full(self.reach ** 2 + 1, self.reach * resolution_m)
        for row in range(self.reach):
            for col in range(row + 1):
                if row * row + col * col < self.reach ** 2:
                    distance_m[row * row + col * col] = math.sqrt(
                        (row * resolution_m) ** 2 + (col * resolution_m) ** 2)
        decay = np.exp(-cost_scaling * (distance_m - robot_radius_m))
        self.cost = np.where(distance_m <= inflation_radius_m,
                             (INSCRIBED - 1) * np.minimum(decay, 1.0), 0.0).astype(np.uint8)
        self.cost[distance_m <= robot_radius_m] = INSCRIBED
        self.cost[0] = LETHAL
        self.clearance_m = distance_m.astype(np.float32)

    def squares(self, lethal: NDArray[np.bool_]) -> NDArray[np.signedinteger]:
        """The square of each cell's distance from the nearest lethal one, in cells.

        It is computed along the columns and then along the rows, up to the reach. A minimum over a
        few shifts replaces the parabolas of Felzenszwalb and Huttenlocher (Distance Transforms of
        Sampled Functions, 2012).

        Args:
            lethal: bool[height, width].

        Returns:
            int[height, width], at most the square of the reach.
        """
        rows = np.arange(len(lethal), dtype=np.int32)[:, None]
        above = np.maximum.accumulate(np.where(lethal, rows, -self.reach), axis=0)
        below = np.minimum.accumulate(
            np.where(lethal, rows, len(lethal) + self.reach)[::-1], axis=0)[::-1]
        steps = np.minimum(np.minimum(rows - above, below - rows), self.reach).astype(self._kind)
        column = steps * steps
        nearest = column.copy()
        for shift in range(1, min(self.reach, lethal.shape[1])):
            aside = column + self._kind(shift * shift)
            np.minimum(nearest[:, shift:], aside[:, :-shift], out=nearest[:, shift:])
            np.minimum(nearest[:, :-shift], aside[:, shift:], out=nearest[:, :-shift])
        return np.minimum(nearest, self._kind(self.reach ** 2), out=nearest)
