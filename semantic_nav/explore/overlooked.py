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
        best: which look would have shown it with the best chance; shape as the map's, 0 for none.
        looks: from where each one was taken, in the map frame; the first is none.
    """

    eyes: Eyesight
    grid: OccupancyGrid
    chance: Floats
    best: NDArray[np.int32]
    looks: tuple[Place, ...] = ((math.inf, math.inf),)

    @classmethod
    def none(cls, eyes: Eyesight, grid: OccupancyGrid) -> Self:
        """Return that of a map at which nobody looked."""
        return cls(eyes, grid, np.ones(grid.shape), np.zeros(grid.shape, np.int32))

    def over(self, grid: OccupancyGrid) -> 'Overlooked':
        """Return it laid over a new map: looks stay where they were in the map frame.

        Of another resolution, everything begins anew.
        """
        grid = grid.on_lattice_of(self.grid)
        if grid.same_frame(self.grid):
            return replace(self, grid=grid)
        return Overlooked(self.eyes, grid, laid_over(self.chance, self.grid, grid, 1.0),
                          laid_over(self.best, self.grid, grid, 0), self.looks)

    def after(self, shown: 'Shown') -> 'Overlooked':
        """Return it after a look that did not show the target.

        From the place of the best look so far most is overlooked again: only what it comes nearer
        to, and a share of the rest, is new.

        Args:
            shown: by the look.
        """
        cells, looks, best = shown.cells, np.array(self.looks), self.best.take(shown.cells)
        shows = self.eyes.chance(shown.away_m(np.array(shown.eye)))
        showed = self.eyes.chance(shown.away_m(looks[best].T))
        nearer = np.maximum(1.0 - (1.0 - shows) / (1.0 - showed), 0.0)
        off = looks - shown.eye
        again = ((off * off).sum(axis=1) < APART_M * APART_M).take(best)
        new = np.where(again, np.maximum(nearer, AGAIN * shows), shows)
        after = replace(self, chance=self.chance.copy(), best=self.best.copy(),
                        looks=(*self.looks, shown.eye))
        after.chance.ravel()[cells] *= 1.0 - new
        after.best.ravel()[cells[shows > showed]] = len(self.looks)
        return after


@dataclass(frozen=True, eq=False)
class Shown:
    """The cells on whose surfaces a look was.

    Attributes:
        eye: from where, in the map frame.
        cells: their numbers in the map, row by row.
        x_m, y_m: of the middle of each, in the map frame.
    """

    eye: Place
    cells: NDArray[np.int64]
    x_m: Floats
    y_m: Floats

    @classmethod
    def of(cls, cells: NDArray[np.bool_], grid: OccupancyGrid, eye: Place) -> Self:
        """Return some cells of a map as seen from a place; the shape is the map's."""
        rows, columns = places_of(cells)
        return cls(eye, rows * grid.shape[1] + columns, *grid.centres_of(rows, columns))

    def away_m(self, eyes: Floats) -> Floats:
        """Return the distance of each cell from its eye, shape (2, n), or from one, shape (2,)."""
        off_x, off_y = self.x_m - eyes[0], self.y_m - eyes[1]
        distances_m: Floats = np.sqrt(off_x * off_x + off_y * off_y)
        return distances_m


def cells_at(grid: OccupancyGrid, place: Place) -> tuple[slice, slice]:
    """Return rows and columns of a map of which a sighting at a place tells."""
    reach = math.ceil(_SIGHTED_M / grid.resolution_m)
    rows, columns = (slice(max(0, at - reach), max(0, at + reach + 1))
                     for at in grid.cell_of(*place))
    return rows, columns
