"""Probability that a thing was overlooked in each cell of a map: a look is evidence, not proof.

The eyesight of a model is unknown before. Each of several eyesights has a prior share, and a
chance of its own for each cell. Together they are the joint distribution of place and eyesight, up
to a factor. Where keen eyes would have found the target already, poor ones are left, and cells
seen from afar are worth a look from nearby.
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
    """Chance that a look shows the model a thing, by its distance.

    Attributes:
        share: prior probability of this eyesight.
        recall: chance for a thing nearby.
        sure_m: distance up to which that holds.
        blind_m: distance from which on nothing is seen; between the two the chance falls linearly.
    """

    share: float
    recall: float
    sure_m: float
    blind_m: float

    def chance(self, distances_m: Floats) -> Floats:
        """Chances for things at some distances in m, in the shape of these."""
        share: Floats = np.clip(
            (self.blind_m - distances_m) / (self.blind_m - self.sure_m), 0.0, 1.0)
        return self.recall * share


#: Radius of a sighting round its place, in m.
_SIGHTED_M = 0.3
#: Share of a second look from about one place that tells something new.
AGAIN = 0.15
#: Eyesights of local models, for things of the size of a mug.
EYESIGHTS = (Eyesight(share=0.5, recall=0.9, sure_m=2.0, blind_m=6.0),
             Eyesight(share=0.5, recall=0.85, sure_m=1.2, blind_m=3.5))
#: Distance from which on none of them sees anything, in m.
BLIND_M = max(eyes.blind_m for eyes in EYESIGHTS)


@dataclass(frozen=True, eq=False)
class Overlooked:
    """Chance that eyes overlooked a thing in a cell in all looks, laid over a map.

    Attributes:
        eyes: their eyesight.
        grid: the map.
        chance: in the shape of the map; 1 where nobody looked.
        best: index of the look with the best chance to show it, in the shape of the map; 0 for
            none.
        looks: x and y of each look in the map frame; the first entry is no look.
    """

    eyes: Eyesight
    grid: OccupancyGrid
    chance: Floats
    best: NDArray[np.int32]
    looks: tuple[Place, ...] = ((math.inf, math.inf),)

    @classmethod
    def none(cls, eyes: Eyesight, grid: OccupancyGrid) -> Self:
        """The chance on a map before any look."""
        return cls(eyes, grid, np.ones(grid.shape), np.zeros(grid.shape, np.int32))

    def over(self, grid: OccupancyGrid) -> 'Overlooked':
        """The chance laid over a new map: looks keep their place in the map frame.

        With another resolution the chances start again from 1.
        """
        grid = grid.on_lattice_of(self.grid)
        if grid.same_frame(self.grid):
            return replace(self, grid=grid)
        return Overlooked(self.eyes, grid, laid_over(self.chance, self.grid, grid, 1.0),
                          laid_over(self.best, self.grid, grid, 0), self.looks)

    def after(self, shown: 'Shown') -> 'Overlooked':
        """The chance after a look that did not show the target.

        From the place of the best look so far most is overlooked again: only cells to which the
        look comes nearer, and a share of the rest, are new evidence.

        Args:
            shown: cells shown by the look.
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
    """Cells whose surfaces a look showed.

    Attributes:
        eye: x and y of the look in the map frame.
        cells: flat indices of the cells in the map.
        x_m, y_m: centre of each cell in the map frame.
    """

    eye: Place
    cells: NDArray[np.int64]
    x_m: Floats
    y_m: Floats

    @classmethod
    def of(cls, cells: NDArray[np.bool_], grid: OccupancyGrid, eye: Place) -> Self:
        """Some cells of a map as seen from a place, in the shape of the map."""
        rows, columns = places_of(cells)
        return cls(eye, rows * grid.shape[1] + columns, *grid.centres_of(rows, columns))

    def away_m(self, eyes: Floats) -> Floats:
        """Distance of each cell in m from its own eye, shape (2, n), or from one, shape (2,)."""
        off_x, off_y = self.x_m - eyes[0], self.y_m - eyes[1]
        distances_m: Floats = np.sqrt(off_x * off_x + off_y * off_y)
        return distances_m


def cells_at(grid: OccupancyGrid, place: Place) -> tuple[slice, slice]:
    """Rows and columns of a map that a sighting at a place covers."""
    reach = math.ceil(_SIGHTED_M / grid.resolution_m)
    rows, columns = (slice(max(0, at - reach), max(0, at + reach + 1))
                     for at in grid.cell_of(*place))
    return rows, columns
