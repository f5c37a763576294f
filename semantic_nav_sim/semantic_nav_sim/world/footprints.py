"""Colliders seen from above: convex outlines on the floor, and distances to them."""

import math
from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple, Protocol

import numpy as np
import shapely
from numpy.typing import NDArray

from semantic_nav_sim.world.assembly import Collider
from semantic_nav_sim.world.description import Point2
from semantic_nav_sim.world.meshes import Floats

CYLINDER_SIDES = 20
_CELL_M = 0.1
_ANGLES = np.linspace(0, 2 * np.pi, CYLINDER_SIDES, endpoint=False)
#: The corners of a body of unit half extents, shape (n, 3).
_CORNERS = {
    'box': np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]),
    'cylinder': np.array([[c, s, z] for z in (1, -1)
                          for c, s in zip(np.cos(_ANGLES), np.sin(_ANGLES), strict=True)])}


class Nearest(NamedTuple):
    """The outline nearest to a point.

    Attributes:
        gap_m: distance to it: negative inside, infinite beyond reach.
        away: unit vector from it towards free space, shape (2,).
        name: of its object; empty beyond reach.
    """

    gap_m: float = np.inf
    away: Floats = np.zeros(2)
    name: str = ''


class Obstacles(Protocol):
    """Obstacles of the base."""

    def nearest(self, x: float, y: float, reach_m: float) -> Nearest:
        """The nearest outline within reach of a point; see `Footprints`."""
        ...

    def nearest_to(self, body: shapely.Polygon, reach_m: float) -> Nearest:
        """The nearest outline within reach of a body; see `Footprints`."""
        ...


class Footprints:
    """The outlines of all colliders that reach into a band of height."""

    def __init__(self, colliders: Iterable[Collider], low_m: float, high_m: float,
                 names: Iterable[str] = ()) -> None:
        """Project colliders onto the floor.

        Args:
            colliders: in the map frame.
            low_m, high_m: the band; a collider that only touches it is left out.
            names: of each collider's object; none, or one each.
        """
        named = [(outline, name) for collider, name in zip_longest(colliders, names, fillvalue='')
                 if (outline := outline_of(collider, low_m, high_m)) is not None]
        self._outlines = np.array([outline for outline, _ in named], object)
        self._names = [name for _, name in named]
        self._edges = shapely.boundary(self._outlines)
        self._tree = shapely.STRtree(self._outlines)

    def nearest(self, x: float, y: float, reach_m: float) -> Nearest:
        """The outline nearest to a point, or the one that contains it most deeply.

        Args:
            x, y: a point in metres.
            reach_m: largest distance of an outline.
        """
        point = shapely.Point(x, y)
        near = self._tree.query(point, 'dwithin', reach_m)
        if not len(near):
            return Nearest()
        gaps = shapely.distance(self._edges[near], point)
        gaps[shapely.contains(self._outlines[near], point)] *= -1
        best = int(np.argmin(gaps))
        gap, outline = float(gaps[best]), near[best]
        foot, end = shapely.get_coordinates(shapely.shortest_line(self._edges[outline], point))
        if abs(gap) < 1e-9:
            # On the edge itself: away from the centroid.
            foot, gap = shapely.get_coordinates(shapely.centroid(self._outlines[outline]))[0], 0.0
        away = (end - foot) / np.hypot(*(end - foot))
        return Nearest(gap, -away if gap < 0 else away, self._names[outline])

    def nearest_to(self, body: shapely.Polygon, reach_m: float) -> Nearest:
        """The outline nearest to a body, without the direction away from it.

        Args:
            body: on the floor, in metres.
            reach_m: largest distance of an outline.

        Returns:
            With the gap between both: 0 if they touch or overlap.
        """
        near = self._tree.query(body, 'dwithin', reach_m)
        if not len(near):
            return Nearest()
        gaps = shapely.distance(self._outlines[near], body)
        best = int(np.argmin(gaps))
        return Nearest(float(gaps[best]), name=self._names[near[best]])

    def raster(self, xs: Floats, ys: Floats, margin_m: float) -> NDArray[np.bool_]:
        """Rasterise the outlines, with a margin, on grid points.

        Args:
            xs, ys: ascending coordinates of columns and rows, in metres.
            margin_m: margin around each outline.

        Returns:
            Mask of shape (len(ys), len(xs)).
        """
        points = shapely.points(*np.meshgrid(xs, ys))
        covered = np.zeros(points.shape, bool)
        _, hit = shapely.STRtree(points.ravel()).query(self._outlines, 'dwithin', margin_m)
        covered.flat[hit] = True
        return covered


class Cleared:
    """Fixed outlines with an index of places that have none nearby."""

    def __init__(self, footprints: Footprints, low: Point2, high: Point2, reach_m: float) -> None:
        """Mark the places with an outline within reach.

        Args:
            footprints: the outlines.
            low, high: corners of the marked floor, in metres.
            reach_m: largest usual reach of a query.
        """
        self._footprints, self._reach_m = footprints, reach_m
        (self._x0, self._y0), (x1, y1) = low, high
        xs, ys = (start + (np.arange(math.ceil((end - start) / _CELL_M)) + 0.5) * _CELL_M
                  for start, end in ((self._x0, x1), (self._y0, y1)))
        # No point of a cell is farther from its centre than half the diagonal.
        near = footprints.raster(xs, ys, reach_m + math.sqrt(0.5) * _CELL_M + 1e-9)
        self._near: list[list[bool]] = near.tolist()

    def nearest(self, x: float, y: float, reach_m: float) -> Nearest:
        """The nearest outline within reach; see `Footprints`."""
        row, column = int((y - self._y0) // _CELL_M), int((x - self._x0) // _CELL_M)
        if reach_m <= self._reach_m and 0 <= row < len(self._near) and (
                0 <= column < len(self._near[row])) and not self._near[row][column]:
            return Nearest()
        return self._footprints.nearest(x, y, reach_m)

    def nearest_to(self, body: shapely.Polygon, reach_m: float) -> Nearest:
        """The nearest outline within reach of a body; see `Footprints`."""
        return self._footprints.nearest_to(body, reach_m)


def outline_of(collider: Collider, low_m: float, high_m: float) -> shapely.Geometry | None:
    """The outline of a collider in the map frame; None outside a band of height."""
    corners = _CORNERS[collider.shape] * collider.size
    points = corners @ collider.rotation.T + collider.position
    if points[:, 2].max() <= low_m or points[:, 2].min() >= high_m:
        return None
    return shapely.MultiPoint(points[:, :2]).convex_hull
