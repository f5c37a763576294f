"""Which part of the floor was looked at for the current goal."""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.grid import OCCUPIED, UNKNOWN, OccupancyGrid, laid_over
from semantic_nav.explore.cells import places_of
from semantic_nav.explore.overlooked import EYESIGHTS, Overlooked, Place, Shown, cells_at
from semantic_nav.explore.sight import visible_cells
from semantic_nav.explore.surfaces import SeenSurfaces

#: Rows of a depth picture lie far apart on surfaces far away: gaps of so many cells are closed.
_GAP_CELLS = 2
#: What so many looks should have shown and did not is not to be seen from anywhere.
_GIVEN_UP_AFTER = 2
#: Directions of a picture differ by this much in their tangent, and there are so many each side.
_DIRECTION, _DIRECTIONS = 0.05, 80
#: Nearer to the plane of the camera than this nothing has a direction, in metres.
_LEAST_FORWARD_M = 0.05
#: A surface within so many cells of an obstacle, or of the unknown, is held by the map.
_HELD_CELLS = 4
#: What lies farther behind a surface than this is hidden by it, in metres.
_BEHIND_M = 0.3
#: A look from so near counts as one from nearby, as a share of the range that counts at all.
NEARBY = 0.65


def _directions(seen: SeenSurfaces, points: NDArray[np.float64],
                ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return in which direction from the camera points lie, and how far.

    A direction is the tangent of the angle from the optical axis in small steps; there is one for
    all that lies far aside or behind. Sums, products and roots alone have the same bits on every
    processor.
    """
    cos, sin = math.cos(seen.yaw), math.sin(seen.yaw)
    x, y = points[:, 0] - seen.x, points[:, 1] - seen.y
    forward, left = x * cos + y * sin, y * cos - x * sin
    tangent = left / np.maximum(forward, _LEAST_FORWARD_M)
    steps = np.rint(np.clip(tangent / _DIRECTION, -_DIRECTIONS, _DIRECTIONS)).astype(np.int64)
    return (np.where(forward > _LEAST_FORWARD_M, steps, _DIRECTIONS),
            np.sqrt(x * x + y * y))


def _farthest(directions: NDArray[np.int64], distances_m: NDArray[np.float64],
              ) -> NDArray[np.int64]:
    """Return the index of the farthest point in each direction that has any, of equals the last.
    """
    slots = directions + _DIRECTIONS
    most_m = np.full(2 * _DIRECTIONS + 1, -np.inf)
    np.maximum.at(most_m, slots, distances_m)
    ends = np.flatnonzero(distances_m == most_m[slots])
    last = np.full(2 * _DIRECTIONS + 1, -1, np.int64)
    np.maximum.at(last, slots[ends], ends)
    return last[last >= 0]


@dataclass(frozen=True, eq=False)
class Coverage:
    """Looked-at cells, laid over the map.

    Attributes:
        looked: cells that were looked at, shape as the map's.
        missed: how many looks should have shown a cell and did not.
    """

    grid: OccupancyGrid
    looked: NDArray[np.bool_]
    missed: NDArray[np.uint8]

    @classmethod
    def none(cls, grid: OccupancyGrid) -> Self:
        """Return the coverage of a map of which nothing was looked at."""
        return cls(grid, np.zeros(grid.shape, np.bool_), np.zeros(grid.shape, np.uint8))

    def over(self, grid: OccupancyGrid) -> 'Coverage':
        """Return it laid over a new map: what was looked at stays where it is in the map frame.

        So does what looks missed, but for what was unknown: a wall may have been found before it.
        Of another resolution, everything begins anew.
        """
        grid = grid.on_lattice_of(self.grid)
        if grid.same_frame(self.grid):
            return replace(self, grid=grid)
        missed = self.missed * (self.grid.cells != UNKNOWN)
        return Coverage(grid, laid_over(self.looked, self.grid, grid, False),
                        laid_over(missed, self.grid, grid, 0))

    def after(self, seen: SeenSurfaces) -> 'Coverage':
        """Return it with the cells on whose surfaces the camera looked.

        The inside of a wardrobe is never seen, nor is a corner behind a bed: a cell that several
        looks should have shown by the map, and did not, counts as looked at too. Not so what is
        behind a person, or a door that has closed: they are not in the map, and go away.
        """
        looked = self.looked | self.shown(seen)
        expected = visible_cells(self.grid, (seen.x, seen.y), seen.yaw, seen.half_angle_rad,
                                 seen.range_m)
        unseen = expected & ~looked
        missed = self.missed + (unseen & ~self._hidden(unseen, seen))
        return replace(self, looked=looked | (missed >= _GIVEN_UP_AFTER), missed=missed)

    def shown(self, seen: SeenSurfaces) -> NDArray[np.bool_]:
        """Return the cells on whose surfaces the camera looked."""
        rows, columns, inside = self.grid.cells_of(*seen.points.T)
        rows, columns = rows[inside], columns[inside]
        marked = np.zeros_like(self.looked)
        marked[rows, columns] = True
        if rows.size:
            window = marked[max(0, rows.min() - _GAP_CELLS):rows.max() + _GAP_CELLS + 1,
                            max(0, columns.min() - _GAP_CELLS):columns.max() + _GAP_CELLS + 1]
            # Closing forgets what lies on the border of the map.
            window |= ndimage.binary_closing(window, np.ones((3, 3)), iterations=_GAP_CELLS // 2)
        return marked

    def _hidden(self, cells: NDArray[np.bool_], seen: SeenSurfaces) -> NDArray[np.bool_]:
        """Return which of some cells lie behind what the map does not hold.

        In each direction the view ended at the farthest surface. Where the map is free all round
        that, something stood there.
        """
        hidden = np.zeros_like(cells)
        surfaces = seen.points if seen.ends is None else seen.ends
        directions, distances_m = _directions(seen, surfaces)
        last = _farthest(directions, distances_m)
        rows, columns, inside = self.grid.cells_of(*surfaces[last].T)
        free = inside.copy()
        free[inside] = ~self._held_near(rows[inside], columns[inside])
        ended_m = np.full(2 * _DIRECTIONS + 1, np.inf)
        ended_m[directions[last[free]] + _DIRECTIONS] = distances_m[last[free]]
        rows, columns = places_of(cells)
        centres = np.stack(self.grid.centres_of(rows, columns), axis=1)
        directions, distances_m = _directions(seen, centres)
        hidden[rows, columns] = distances_m > ended_m[directions + _DIRECTIONS] + _BEHIND_M
        return hidden

    def _held_near(self, rows: NDArray[np.int64], columns: NDArray[np.int64],
                   ) -> NDArray[np.bool_]:
        """Return near which cells the map holds something, or is unknown; shape (n,)."""
        height, width = self.grid.shape
        around = np.arange(-_HELD_CELLS, _HELD_CELLS + 1)
        # Beyond the border is what is on it, which is as near.
        value = self.grid.cells[(rows[:, None, None] + around[:, None]).clip(0, height - 1),
                                (columns[:, None, None] + around).clip(0, width - 1)]
        held: NDArray[np.bool_] = ((value >= OCCUPIED) | (value == UNKNOWN)).any(axis=(1, 2))
        return held

    def share_of(self, cells: NDArray[np.bool_]) -> float:
        """Return the looked-at share of the given cells, 0 where there are none."""
        total = np.count_nonzero(cells)
        return np.count_nonzero(self.looked & cells) / total if total else 0.0

    def unlooked_m2(self, cells: NDArray[np.bool_]) -> float:
        """Return the area of the given cells that was not looked at."""
        return np.count_nonzero(cells & ~self.looked) * self.grid.resolution_m**2


@dataclass(frozen=True, eq=False)
class GoalCoverage:
    """What was looked at for one goal.

    Attributes:
        in_range: from as far as a look counts.
        nearby: what of it was looked at from nearby.
        overlooked: what a model may have overlooked, for each of the eyesights.
    """

    in_range: Coverage
    nearby: Coverage
    overlooked: tuple[Overlooked, ...]

    @classmethod
    def none(cls, grid: OccupancyGrid) -> Self:
        """Return that of a goal for which nothing was looked at."""
        return cls(Coverage.none(grid), Coverage.none(grid),
                   tuple(Overlooked.none(eyes, grid) for eyes in EYESIGHTS))

    def over(self, grid: OccupancyGrid) -> 'GoalCoverage':
        """Return it laid over a new map."""
        return GoalCoverage(self.in_range.over(grid), self.nearby.over(grid),
                            tuple(one.over(grid) for one in self.overlooked))

    def after(self, far: SeenSurfaces, range_m: float,
              sighted: Place | None = None) -> 'GoalCoverage':
        """Return it with what a look showed that did not find the target, but perhaps a place.

        Args:
            far: as far as anything is recognised.
            range_m: how far a look counts for the coverage.
            sighted: where it took something for the target, which it did not overlook.
        """
        seen = far.within(range_m)
        in_range = self.in_range.after(seen)
        # With what is never to be seen.
        shown = self.in_range.shown(far) | (in_range.looked & ~self.in_range.looked)
        if sighted is not None:
            shown[cells_at(in_range.grid, sighted)] = False
        placed = Shown.of(shown, in_range.grid, (far.x, far.y))
        return GoalCoverage(in_range, self.nearby.after(seen.within(NEARBY * seen.range_m)),
                            tuple(one.after(placed) for one in self.overlooked))
