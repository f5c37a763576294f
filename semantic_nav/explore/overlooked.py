"""How likely a thing was overlooked in each part of a map: a look is evidence, not proof."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import OccupancyGrid, laid_over
from semantic_nav.explore.sight import APART_M
from semantic_nav.explore.surfaces import SeenSurfaces

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Eyesight:
    """The chance that a look shows the model a thing, by its distance.

    Attributes:
        recall: of a thing nearby.
        sure_m: up to where that holds, in metres.
        blind_m: from where on nothing is seen; between the two it falls in a straight line.
        again: the share of a second look from the same place that tells something new.
    """

    recall: float = 0.9
    sure_m: float = 2.0
    blind_m: float = 6.0
    again: float = 0.15

    def chance(self, distances_m: Floats) -> Floats:
        """Return the chance for things at some distances in metres, shape as theirs."""
        share: Floats = np.clip(
            (self.blind_m - distances_m) / (self.blind_m - self.sure_m), 0.0, 1.0)
        return self.recall * share


#: Of a small local model, for things of the size of a mug.
EYESIGHT = Eyesight()


@dataclass(frozen=True, eq=False)
class Overlooked:
    """The chance that a thing in a cell was overlooked by all looks, laid over a map.

    Attributes:
        grid: the map.
        chance: shape as the map's; 1 where nobody looked.
        best: the chance that the best look so far would have shown it.
        eyes_x, eyes_y: from where that was, in the map frame; shape as the map's.
    """

    grid: OccupancyGrid
    chance: Floats
    best: Floats
    eyes_x: Floats
    eyes_y: Floats

    @classmethod
    def none(cls, grid: OccupancyGrid) -> Self:
        """Return that of a map at which nobody looked."""
        nowhere = np.full(grid.shape, np.inf)
        return cls(grid, np.ones(grid.shape), np.zeros(grid.shape), nowhere, nowhere)

    def over(self, grid: OccupancyGrid) -> 'Overlooked':
        """Return it laid over a new map: looks stay where they were in the map frame.

        Of another resolution, everything begins anew.
        """
        if grid.same_frame(self.grid):
            return replace(self, grid=grid)

        def laid(values: Floats, beyond: float) -> Floats:
            return laid_over(values, self.grid, grid, beyond)

        return Overlooked(grid, laid(self.chance, 1.0), laid(self.best, 0.0),
                          laid(self.eyes_x, np.inf), laid(self.eyes_y, np.inf))

    def after(self, seen: SeenSurfaces, shown: NDArray[np.bool_],
              eyesight: Eyesight = EYESIGHT) -> 'Overlooked':
        """Return it after a look that did not show the target.

        From the place of the best look so far most is overlooked again: only what it comes nearer
        to, and a share of the rest, is new.

        Args:
            seen: by the look.
            shown: cells on whose surfaces it looked, shape as the map's.
            eyesight: of the model.
        """
        rows, columns = np.nonzero(shown)
        x_m, y_m = self.grid.centres_of(rows, columns)
        shows = eyesight.chance(np.sqrt((x_m - seen.x)**2 + (y_m - seen.y)**2))
        best = self.best[rows, columns]
        off_x, off_y = self.eyes_x[rows, columns] - seen.x, self.eyes_y[rows, columns] - seen.y
        nearer = np.maximum(1.0 - (1.0 - shows) / (1.0 - best), 0.0)
        again = off_x * off_x + off_y * off_y < APART_M * APART_M
        new = np.where(again, np.maximum(nearer, eyesight.again * shows), shows)
        after = replace(self, chance=self.chance.copy(), best=self.best.copy(),
                        eyes_x=self.eyes_x.copy(), eyes_y=self.eyes_y.copy())
        after.chance[rows, columns] *= 1.0 - new
        better = shows > best
        rows, columns = rows[better], columns[better]
        after.best[rows, columns] = shows[better]
        after.eyes_x[rows, columns], after.eyes_y[rows, columns] = seen.x, seen.y
        return after
