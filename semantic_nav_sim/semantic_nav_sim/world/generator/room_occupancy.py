"""Occupancy of a room during furnishing: placed things, and the robot's remaining ways."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav_sim.world.description import Point2, Point3
from semantic_nav_sim.world.generator.layout import Plot
from semantic_nav_sim.world.generator.openings import HALF_WALL_M, Shell
from semantic_nav_sim.world.generator.shapes import Footprint, Rectangle, Side, Span

CELL_M = 0.05
LOW_M, HIGH_M = 0.05, 1.0
# Distance of a stand-off pose from the centre of its target: 0.9 to 1.2 m, less the raster.
STAND_OFF_M = (0.93, 1.16)
DOOR_ZONE_M, PASSAGE_ZONE_M, TALL_WINDOW_ZONE_M = 0.95, 0.7, 0.45
WINDOW_ZONE_M = 0.28
TALL_M = 2.2
MOUTH_M = (0.42, 0.1)
STEP_M = 0.1
MOST_TRIALS = 10

Score = Callable[[Footprint], float]


class RoomOccupancy:
    """A room with its openings, and the boxes placed in it.

    Attributes:
        plot: the room.
        inner: its floor between the walls' faces.
        openings: in its walls.
    """

    def __init__(self, plot: Plot, shell: Shell, rng: np.random.Generator) -> None:
        self.plot = plot
        self.inner: Rectangle = plot.floor.inset(HALF_WALL_M)
        self.rng = rng
        self._ways = shell.ways
        holes = shell.of(plot)
        self.openings: list[Span] = shell.spans(plot)
        self._boxes: list[Footprint] = []
        self._zones: list[Footprint] = []
        self._fronts: list[Footprint] = []
        self._windows: list[Footprint] = []
        self._mouths: list[Point2] = []
        self._demands: list[NDArray[np.bool_]] = []
        columns, rows = (max(1, int(size / CELL_M)) for size in self.inner.size)
        self._xs = self.inner.low[0] + (np.arange(columns) + 0.5) * CELL_M
        self._ys = self.inner.low[1] + (np.arange(rows) + 0.5) * CELL_M
        self._taken = np.zeros((rows, columns), bool)
        for span in self.openings:
            self._keep_open(span)
        for hole in holes:
            x, y = (hole.leaf.x, hole.leaf.y) if hole.leaf else (np.inf, np.inf)
            if hole.leaf and plot.floor.low[0] < x < plot.floor.high[0] \
                    and plot.floor.low[1] < y < plot.floor.high[1]:
                self._boxes.append(hole.leaf)
                self._taken |= self._raster(hole.leaf)

    def _keep_open(self, span: Span) -> None:
        """Reserve the floor before an opening, or the wall in front of a window."""
        middle, width = (span.start + span.end) / 2, span.end - span.start
        inside = span.low < 0.05
        if inside:
            depth = DOOR_ZONE_M if width < 1.0 else PASSAGE_ZONE_M
            self._zones.append(self.inner.against(span.side, middle, (depth, width, TALL_M)))
            # On the floor where the robot's centre can be.
            mouth = self.inner.against(span.side, middle, (0.02, 0.02, 0.02),
                                       max(MOUTH_M[0], self._ways.gap_m + MOUTH_M[1]))
            self._mouths.append((mouth.x, mouth.y))
        elif span.low < 0.4:
            self._zones.append(self.inner.against(
                span.side, middle, (TALL_WINDOW_ZONE_M, width, TALL_M)))
        if not inside:
            self._windows.append(self.inner.against(
                span.side, middle, (WINDOW_ZONE_M, width, span.high - span.low + 0.1), 0.0,
                span.low - 0.05))

    def fits(self, box: Footprint, *, tuck: bool = False, before_window: bool = False) -> bool:
        """Tell whether a box fits somewhere, regardless of the robot's ways.

        Args:
            box: the box.
            tuck: whether it may occupy the free space before other things, like a chair at a desk.
            before_window: whether it may hide a window.
        """
        if not self.inner.holds(box):
            return False
        others = (*self._boxes, *self._zones, *(() if tuck else self._fronts),
                  *(() if before_window else self._windows))
        return not any(box.meets(other) for other in others)

    def put(self, box: Footprint, *, front: float = 0.0, tuck: bool = False,
            before_window: bool = False) -> bool:
        """Place a box if it fits and the robot still reaches everything.

        Args:
            box: the box.
            front: depth of the floor before it that must stay free, in metres.
            tuck, before_window: as in `fits`.
        """
        ahead = None
        if front > 0:
            x, y = box.point((box.depth + front) / 2, 0)
            ahead = Footprint(x, y, front, box.width, box.yaw_rad, box.low, box.low + 1.0)
            if not self.inner.holds(ahead) or any(ahead.meets(other) for other in self._boxes):
                return False
        if not self.fits(box, tuck=tuck, before_window=before_window) \
                or not self._stays_open(box):
            return False
        self._boxes.append(box)
        if ahead is not None:
            self._fronts.append(ahead)
        return True

    def take(self, boxes: Sequence[Footprint]) -> bool:
        """Place several boxes, all or none."""
        before = (list(self._boxes), list(self._demands), self._taken.copy())
        for box in boxes:
            if not self.put(box):
                self._boxes, self._demands, self._taken = before
                return False
        return True

    def against(self, size: Point3, *, gap: float = 0.02, front: float = 0.0,
                score: Score | None = None, low: float = 0.0) -> Footprint | None:
        """Place a box with its back to a wall, at the best free place.

        Args:
            size: depth, width and height.
            gap: between the wall and its back.
            front: depth of the free floor before it.
            score: higher is better; None for any place.
            low: height of its foot.

        Returns:
            Its footprint; None if it fits nowhere.
        """
        places = [box for side in Side for box in self.places(side, size, gap, low)]
        return self.best(places, score, front=front)

    def places(self, side: Side, size: Point3, gap: float = 0.02,
               low: float = 0.0) -> list[Footprint]:
        """All places of a box along one wall, from corner to corner."""
        room = self.inner.length(side) - size[1] - 2 * gap
        if room < 0:
            return []
        count = int(room / STEP_M) + 2
        starts = self.inner.start(side) + gap + size[1] / 2 + np.linspace(0, room, count)
        return [self.inner.against(side, float(along), size, gap, low) for along in starts]

    def best(self, places: Sequence[Footprint], score: Score | None = None, *,
             front: float = 0.0) -> Footprint | None:
        """Place a box at the best of some places; None if it fits at none."""
        luck = self.rng.random(len(places))
        ranked = sorted(range(len(places)), key=lambda i: -(
            (score(places[i]) if score else 0.0) + 0.35 * luck[i]))
        trials = 0
        for i in ranked:
            box = places[i]
            if not self.fits(box):
                continue
            if self.put(box, front=front):
                return box
            trials += 1
            if trials >= MOST_TRIALS:
                return None
        return None

    def near_door(self, box: Footprint) -> float:
        """The distance from a box to the nearest way out, in metres."""
        return min((float(np.hypot(box.x - x, box.y - y)) for x, y in self._mouths), default=9.0)

    def reachable(self) -> NDArray[np.bool_]:
        """Mask of the cells where the robot's centre can stand, shape (rows, columns)."""
        return self._free(self._gap(self._taken), self._ways.stand_m)

    def stands(self) -> NDArray[np.float64]:
        """The points where the robot's centre can stand, shape (n, 2), in metres."""
        rows, columns = np.nonzero(self.reachable())
        return np.stack([self._xs[columns], self._ys[rows]], 1)

    def roomiest(self) -> tuple[Point2, float]:
        """The point with the largest clearance, and that clearance."""
        gap = self._gap(self._taken) * self.reachable()
        row, column = np.unravel_index(int(np.argmax(gap)), gap.shape)
        return (float(self._xs[column]), float(self._ys[row])), float(gap[row, column])

    def widest_view(self, point: Point2, rng: np.random.Generator) -> float:
        """A direction, in degrees, in which the room extends farthest, with some noise."""
        yaws = np.arange(16) * math.tau / 16
        steps = np.arange(1, 120) * CELL_M
        reach = []
        for yaw in yaws:
            xs, ys = point[0] + steps * np.cos(yaw), point[1] + steps * np.sin(yaw)
            inside = ((self.inner.low[0] < xs) & (xs < self.inner.high[0])
                      & (self.inner.low[1] < ys) & (ys < self.inner.high[1]))
            reach.append(int(inside.sum()))
        best = float(yaws[int(np.argmax(reach))]) + float(rng.uniform(-0.3, 0.3))
        return math.degrees(math.remainder(best, math.tau))

    def _gap(self, taken: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The distance of each cell to the nearest obstacle or wall."""
        walled = np.pad(~taken, 1)
        gap: NDArray[np.float64] = ndimage.distance_transform_edt(walled)[1:-1, 1:-1] * CELL_M
        return gap

    def _free(self, gap: NDArray[np.float64], least_m: float) -> NDArray[np.bool_]:
        """Mask of the floor that a robot reaches through the first way in.

        Args:
            gap: from each cell to the nearest obstacle.
            least_m: clearance of the robot's centre.
        """
        labels, _ = ndimage.label(gap > least_m)
        main = labels[self._cell(*self._mouths[0])] if self._mouths else 0
        free: NDArray[np.bool_] = (labels == main) & (main > 0)
        return free

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        row = int(np.clip((y - self.inner.low[1]) / CELL_M, 0, len(self._ys) - 1))
        column = int(np.clip((x - self.inner.low[0]) / CELL_M, 0, len(self._xs) - 1))
        return row, column

    def _stays_open(self, box: Footprint) -> bool:
        """Occupy the box's floor, if all ways in stay connected and all things approachable."""
        solid = box.low < HIGH_M and box.high > LOW_M
        taken = self._taken | self._raster(box) if solid else self._taken
        distance = np.hypot(self._xs[None, :] - box.x, self._ys[:, None] - box.y)
        demands = [*self._demands, (STAND_OFF_M[0] < distance) & (
            distance < STAND_OFF_M[1] + self._ways.farther_m)]
        gap = self._gap(taken)
        ways = self._free(gap, self._ways.gap_m)
        if not all(ways[self._cell(x, y)] for x, y in self._mouths):
            return False
        same = self._ways.stand_m == self._ways.gap_m
        free = ways if same else self._free(gap, self._ways.stand_m)
        if not all((free & demand).any() for demand in demands):
            return False
        self._taken, self._demands = taken, demands
        return True

    def _raster(self, box: Footprint) -> NDArray[np.bool_]:
        """Mask of the cells that a box touches."""
        c, s = np.cos(box.yaw_rad), np.sin(box.yaw_rad)
        dx, dy = self._xs[None, :] - box.x, self._ys[:, None] - box.y
        inside: NDArray[np.bool_] = ((np.abs(dx * c + dy * s) < box.depth / 2 + CELL_M / 2)
                                     & (np.abs(dy * c - dx * s) < box.width / 2 + CELL_M / 2))
        return inside
