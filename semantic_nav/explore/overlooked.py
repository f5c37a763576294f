"""How likely a thing was overlooked in each part of a map: a look is evidence, not proof.

How well a model sees nobody knows before: each of several eyesights is likely by some share, and
for each there is a chance of its own. Together they are the joint distribution of place and
eyesight, up to a factor. Where keen eyes would have found the target already, poor ones are what
is left, and what was seen from afar is worth a look from nearby.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import OccupancyGrid, laid_over
from semantic_nav.explore.cells import places_of
from semantic_nav.explore.sight import APART_M
from semantic_nav.explore.surfaces import SeenSurfaces

Floats = NDArray[np.float64]
#: x and y of something that was taken for the target, in the map frame.
Place = tuple[float, float]


@dataclass(frozen=True)
class Eyesight:
    """The chance that a look shows the model a thing, by its distance.

    Attributes:
        share: how likely a model sees so well, before it has looked.
        recall: of a thing nearby.
        sure_m: up to where that holds, in metres.
        blind_m: from where on nothing is seen; between the two it falls in a straight line.
    """

    share: float
    recall: float
    sure_m: float
    blind_m: float

    def chance(self, distances_m: Floats) -> Floats:
        """Return the chance for things at some distances in metres, shape as theirs."""
        share: Floats = np.clip(
            (self.blind_m - distances_m) / (self.blind_m - self.sure_m), 0.0, 1.0)
        return self.recall * share


#: A sighting is of what lies so near to its place, in metres.
_SIGHTED_M = 0.3
#: The share of a second look from about the same place that tells something new.
AGAIN = 0.15
#: Of local models, for things of the size of a mug.
EYESIGHTS = (Eyesight(share=0.5, recall=0.9, sure_m=2.0, blind_m=6.0),
             Eyesight(share=0.5, recall=0.85, sure_m=1.2, blind_m=3.5))
#: From farther off nobody sees it.
BLIND_M = max(eyes.blind_m for eyes in EYESIGHTS)


@dataclass(frozen=True, eq=False)
class Overlooked:
    """The chance that eyes overlooked a thing in a cell in all looks, laid over a map.

    Attributes:
        eyes: how well they see.
        grid: the map.
        chance: shape as the map's; 1 where nobody looked.
        best: the chance that the best look so far would have shown it.
        eyes_x, eyes_y: from where that was, in the map frame; shape as the map's.
    """

    eyes: Eyesight
    grid: OccupancyGrid
    chance: Floats
    best: Floats
    eyes_x: Floats
    eyes_y: Floats

    @classmethod
    def none(cls, eyes: Eyesight, grid: OccupancyGrid) -> Self:
        """Return that of a map at which nobody looked."""
        nowhere = np.full(grid.shape, np.inf)
        return cls(eyes, grid, np.ones(grid.shape), np.zeros(grid.shape), nowhere, nowhere)

    def over(self, grid: OccupancyGrid) -> 'Overlooked':
        """Return it laid over a new map: looks stay where they were in the map frame.

        Of another resolution, everything begins anew.
        """
        if grid.same_frame(self.grid):
            return replace(self, grid=grid)

        def laid(values: Floats, beyond: float) -> Floats:
            return laid_over(values, self.grid, grid, beyond)

        return Overlooked(self.eyes, grid, laid(self.chance, 1.0), laid(self.best, 0.0),
                          laid(self.eyes_x, np.inf), laid(self.eyes_y, np.inf))

    def after(self, seen: SeenSurfaces, shown: NDArray[np.bool_]) -> 'Overlooked':
        """Return it after a look that did not show the target.

        From the place of the best look so far most is overlooked again: only what it comes nearer
        to, and a share of the rest, is new.

        Args:
            seen: by the look.
            shown: cells on whose surfaces it looked, shape as the map's.
        """
        rows, columns = places_of(shown)
        x_m, y_m = self.grid.centres_of(rows, columns)
        shows = self.eyes.chance(np.sqrt((x_m - seen.x)**2 + (y_m - seen.y)**2))
        best = self.best[rows, columns]
        off_x, off_y = self.eyes_x[rows, columns] - seen.x, self.eyes_y[rows, columns] - seen.y
        nearer = np.maximum(1.0 - (1.0 - shows) / (1.0 - best), 0.0)
        again = off_x * off_x + off_y * off_y < APART_M * APART_M
        new = np.where(again, np.maximum(nearer, AGAIN * shows), shows)
        after = replace(self, chance=self.chance.copy(), best=self.best.copy(),
                        eyes_x=self.eyes_x.copy(), eyes_y=self.eyes_y.copy())
        after.chance[rows, columns] *= 1.0 - new
        better = shows > best
        rows, columns = rows[better], columns[better]
        after.best[rows, columns] = shows[better]
        after.eyes_x[rows, columns], after.eyes_y[rows, columns] = seen.x, seen.y
        return after


def cells_at(grid: OccupancyGrid, place: Place) -> tuple[slice, slice]:
    """Return rows and columns of a map of which a sighting at a place tells."""
    reach = math.ceil(_SIGHTED_M / grid.resolution_m)
    rows, columns = (slice(max(0, at - reach), max(0, at + reach + 1))
                     for at in grid.cell_of(*place))
    return rows, columns
