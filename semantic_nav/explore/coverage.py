"""Coverage: the part of the floor that was looked at for the current goal."""

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

#: Width in cells of gaps that are closed: rows of a depth image lie far apart on far surfaces.
_GAP_CELLS = 2
#: Number of looks that should have shown a cell and did not, after which it counts as invisible.
_GIVEN_UP_AFTER = 2
#: Step between directions of an image, as a tangent, and their number on each side.
_DIRECTION, _DIRECTIONS = 0.05, 80
#: Least distance from the plane of the camera at which a point has a direction, in m.
_LEAST_FORWARD_M = 0.05
#: Distance in cells from an obstacle, or from unknown cells, at which the map holds a surface.
_HELD_CELLS = 4
#: Distance behind a surface beyond which a cell is hidden by it, in m.
_BEHIND_M = 0.3
#: Range of a look from nearby, as a share of the range of any look.
NEARBY = 0.65


def _directions(seen: SeenSurfaces, points: NDArray[np.float64],
                ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Directions of points from the camera, and their distances in m.

    A direction is the tangent of the angle from the optical axis in small steps; all points far
    aside or behind share one. Only sums, products and roots have equal bits on every processor.
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
    """Index of the farthest point in each direction that has any; of equals the last."""
    slots = directions + _DIRECTIONS
    most_m = np.full(2 * _DIRECTIONS + 1, -np.inf)
    np.maximum.at(most_m, slots, distances_m)
    ends = np.flatnonzero(distances_m == most_m[slots])
    last = np.full(2 * _DIRECTIONS + 1, -1, np.int64)
    np.maximum.at(last, slots[ends], ends)
    return last[last >= 0]


@dataclass(frozen=True, eq=False)
class Coverage:
    """Cells that were looked at, laid over the map.

    Attributes:
        looked: mask of these cells, in the shape of the map.
        missed: number of looks that should have shown a cell and did not.
    """

    grid: OccupancyGrid
    looked: NDArray[np.bool_]
    missed: NDArray[np.uint8]

    @classmethod
    def none(cls, grid: OccupancyGrid) -> Self:
        """The coverage of a map before any look."""
        return cls(grid, np.zeros(grid.shape, np.bool_), np.zeros(grid.shape, np.uint8))

    def over(self, grid: OccupancyGrid) -> 'Coverage':
        """The coverage laid over a new map: looked-at cells keep their place in the map frame.

        So do missed cells, except unknown ones: a wall may have been found before them. With
        another resolution the coverage starts from nothing.
        """
        grid = grid.on_lattice_of(self.grid)
        if grid.same_frame(self.grid):
            return replace(self, grid=grid)
        missed = self.missed * (self.grid.cells != UNKNOWN)
        return Coverage(grid, laid_over(self.looked, self.grid, grid, False),
                        laid_over(missed, self.grid, grid, 0))

    def after(self, seen: SeenSurfaces) -> 'Coverage':
        """The coverage after a look.

        The inside of a wardrobe is never seen, nor is a corner behind a bed. A cell that several
        looks should have shown by the map, and did not, therefore counts as looked at too. A cell
        behind a person or a door that has closed does not: they are not in the map, and go away.
        """
        looked = self.looked | self.shown(seen)
        expected = visible_cells(self.grid, (seen.x, seen.y), seen.yaw, seen.half_angle_rad,
                                 seen.range_m)
        unseen = expected & ~looked
        missed = self.missed + (unseen & ~self._hidden(unseen, seen))
        return replace(self, looked=looked | (missed >= _GIVEN_UP_AFTER), missed=missed)

    def shown(self, seen: SeenSurfaces) -> NDArray[np.bool_]:
        """Mask of the cells whose surfaces the camera saw."""
        rows, columns, inside = self.grid.cells_of(*seen.points.T)
        rows, columns = rows[inside], columns[inside]
        marked = np.zeros_like(self.looked)
        marked[rows, columns] = True
        if rows.size:
            window = marked[max(0, rows.min() - _GAP_CELLS):rows.max() + _GAP_CELLS + 1,
                            max(0, columns.min() - _GAP_CELLS):columns.max() + _GAP_CELLS + 1]
            # Closing drops cells on the border of the map.
            window |= ndimage.binary_closing(window, np.ones((3, 3)), iterations=_GAP_CELLS // 2)
        return marked

    def _hidden(self, cells: NDArray[np.bool_], seen: SeenSurfaces) -> NDArray[np.bool_]:
        """Mask of those cells that lie behind an obstacle missing from the map.

        In each direction the view ended at the farthest surface. Where the map is free all round
        that surface, something stood there.
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
        """Mask of the cells near which the map is occupied or unknown, shape (n,)."""
        height, width = self.grid.shape
        around = np.arange(-_HELD_CELLS, _HELD_CELLS + 1)
        # A cell beyond the border takes the value on it, which is as near.
        value = self.grid.cells[(rows[:, None, None] + around[:, None]).clip(0, height - 1),
                                (columns[:, None, None] + around).clip(0, width - 1)]
        held: NDArray[np.bool_] = ((value >= OCCUPIED) | (value == UNKNOWN)).any(axis=(1, 2))
        return held

    def share_of(self, cells: NDArray[np.bool_]) -> float:
        """Looked-at share of the given cells, 0..1; 0 where there are none."""
        total = np.count_nonzero(cells)
        return np.count_nonzero(self.looked & cells) / total if total else 0.0

    def unlooked_m2(self, cells: NDArray[np.bool_]) -> float:
        """Area of the given cells that was not looked at, in m2."""
        return np.count_nonzero(cells & ~self.looked) * self.grid.resolution_m**2


@dataclass(frozen=True, eq=False)
class GoalCoverage:
    """Coverage for one goal.

    Attributes:
        in_range: coverage by looks within their range.
        nearby: coverage by looks from nearby.
        overlooked: chances that a model overlooked a thing, for each of the eyesights.
    """

    in_range: Coverage
    nearby: Coverage
    overlooked: tuple[Overlooked, ...]

    @classmethod
    def none(cls, grid: OccupancyGrid) -> Self:
        """The coverage for a goal before any look."""
        return cls(Coverage.none(grid), Coverage.none(grid),
                   tuple(Overlooked.none(eyes, grid) for eyes in EYESIGHTS))

    def over(self, grid: OccupancyGrid) -> 'GoalCoverage':
        """The coverage laid over a new map."""
        return GoalCoverage(self.in_range.over(grid), self.nearby.over(grid),
                            tuple(one.over(grid) for one in self.overlooked))

    def after(self, far: SeenSurfaces, range_m: float,
              sighted: Place | None = None) -> 'GoalCoverage':
        """The coverage after a look that did not find the target, but perhaps sighted something.

        Args:
            far: surfaces of the look, as far as anything is recognised.
            range_m: range of a look for the coverage.
            sighted: x and y of something that it took for the target, and so did not overlook.
        """
        seen = far.within(range_m)
        in_range = self.in_range.after(seen)
        # Cells that are never visible are included.
        shown = self.in_range.shown(far) | (in_range.looked & ~self.in_range.looked)
        if sighted is not None:
            shown[cells_at(in_range.grid, sighted)] = False
        placed = Shown.of(shown, in_range.grid, (far.x, far.y))
        return GoalCoverage(in_range, self.nearby.after(seen.within(NEARBY * seen.range_m)),
                            tuple(one.after(placed) for one in self.overlooked))
