"""Coarse map of the places where a target may still be: one number for each square."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semantic_nav.contracts.grid import UNKNOWN
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.here import worth_of_places
from semantic_nav.explore.overlooked import Place

#: Side of a square, in m.
SQUARE_M = 0.5


@dataclass(frozen=True)
class LikelySquare:
    """A square of the map.

    Attributes:
        x, y: its centre in the map frame, in m.
        share: chance as a share of that of the likeliest square, 0..1.
    """

    x: float
    y: float
    share: float


def likely_squares(coverage: GoalCoverage, sighted: Sequence[Place]) -> tuple[LikelySquare, ...]:
    """Squares that are at least partly known, with the chance that the target is still there.

    Args:
        coverage: coverage by the looks so far.
        sighted: x and y of sightings that were not confirmed, in the map frame.
    """
    grid = coverage.in_range.grid
    left = worth_of_places(grid, sighted) * sum(
        one.eyes.share * one.chance for one in coverage.overlooked)
    left[grid.cells == UNKNOWN] = 0.0
    step = max(1, round(SQUARE_M / grid.resolution_m))
    rows, columns = (np.arange(0, size, step) for size in grid.shape)
    sums = np.add.reduceat(np.add.reduceat(left, rows, axis=0), columns, axis=1)
    known = np.nonzero(sums)
    middle = (step - 1) // 2
    x_m, y_m = grid.centres_of(rows[known[0]] + middle, columns[known[1]] + middle)
    shares = sums[known] / max(float(sums.max()), 1e-12)
    return tuple(LikelySquare(round(float(x), 3), round(float(y), 3), round(float(share), 3))
                 for x, y, share in zip(x_m, y_m, shares, strict=True))
