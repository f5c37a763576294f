"""Colliders seen from above: convex outlines on the floor, and distances to them."""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from semantic_nav.sim.world.assembly import Collider
from semantic_nav.sim.world.meshes import Floats

CYLINDER_SIDES = 20


class Obstacles(Protocol):
    """What a round base cannot enter."""

    def nearest(self, x: float, y: float, reach_m: float) -> tuple[float, Floats]:
        """Return the distance to the nearest outline, and the way out; see `Footprints`."""
        ...

    def name_of_nearest(self, x: float, y: float, reach_m: float) -> str:
        """Return whose outline is the nearest; see `Footprints`."""
        ...


class Footprints:
    """The outlines of all colliders that reach into a band of height.

    Attributes:
        starts: where each edge starts, shape (m, 2), metres; counter-clockwise.
        steps: from there to where it ends, shape (m, 2).
        first: index of each outline's first edge, shape (n,).
        low, high: corners of each outline's bounding box, shape (n, 2).
    """

    def __init__(self, colliders: Iterable[Collider], low_m: float, high_m: float,
                 names: Iterable[str] = ()) -> None:
        """Project colliders onto the floor.

        Args:
            colliders: in the map's frame.
            low_m, high_m: the band; a collider that only touches it is left out.
            names: whose collider each one is; nothing, or as many.
        """
        named = [(outline, name) for collider, name in zip_longest(colliders, names, fillvalue='')
                 if (outline := _outline(collider, low_m, high_m)) is not None]
        outlines, self._names = [outline for outline, _ in named], [name for _, name in named]
        self.starts = np.vstack(outlines)
        self.steps = np.vstack([np.roll(outline, -1, axis=0) - outline for outline in outlines])
        counts = np.array([len(outline) for outline in outlines])
        self.first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self._owner = np.repeat(np.arange(len(outlines)), counts)
        self.low = np.array([outline.min(axis=0) for outline in outlines])
        self.high = np.array([outline.max(axis=0) for outline in outlines])
        self._outlines = outlines
        self._length2 = np.maximum((self.steps ** 2).sum(axis=1), 1e-12)
        normals = np.stack([self.steps[:, 1], -self.steps[:, 0]], 1)
        self._normals = normals / np.sqrt(self._length2)[:, None]

    def nearest(self, x: float, y: float, reach_m: float) -> tuple[float, Floats]:
        """Return the distance to the nearest outline, and the way out.

        Args:
            x, y: a point in metres.
            reach_m: outlines farther away than this may be ignored.

        Returns:
            The distance in metres, negative inside an outline, infinite beyond reach; and the
            unit vector from the outline towards free space, shape (2,).
        """
        distance, away, _ = self._closest(x, y, reach_m)
        return distance, away

    def name_of_nearest(self, x: float, y: float, reach_m: float) -> str:
        """Return whose outline is the nearest to a point within reach; empty if there is none."""
        _, _, outline = self._closest(x, y, reach_m)
        return '' if outline is None else self._names[outline]

    def _closest(self, x: float, y: float, reach_m: float) -> tuple[float, Floats, int | None]:
        """Return what `nearest` does, and the index of the outline, None beyond reach."""
        point = np.array([x, y])
        near: NDArray[np.bool_] = np.all(
            (self.low - reach_m < point) & (point < self.high + reach_m), axis=1)
        if not near.any():
            return np.inf, np.zeros(2), None
        edges = np.flatnonzero(near[self._owner])
        offset = point - self.starts[edges]
        share = np.clip((offset * self.steps[edges]).sum(axis=1) / self._length2[edges], 0, 1)
        away = offset - share[:, None] * self.steps[edges]
        distance = np.hypot(away[:, 0], away[:, 1])
        height = (offset * self._normals[edges]).sum(axis=1)
        owner = self._owner[edges]
        heads = np.flatnonzero(np.diff(owner, prepend=-1))
        deepest = np.maximum.reduceat(height, heads)
        inside = deepest < 0
        if inside.any():
            # Out through the edge that is nearest, of the outline that holds the point deepest.
            outline = int(np.argmin(deepest))
            rows = slice(heads[outline],
                         heads[outline + 1] if outline + 1 < len(heads) else len(edges))
            best = int(np.argmax(height[rows]))
            return (float(deepest[outline]), self._normals[edges[rows][best]],
                    int(owner[heads[outline]]))
        best = int(np.argmin(distance))
        nearest = int(owner[best])
        if distance[best] < 1e-9:
            return 0.0, self._normals[edges[best]], nearest
        return float(distance[best]), away[best] / distance[best], nearest

    def raster(self, xs: Floats, ys: Floats, margin_m: float) -> NDArray[np.bool_]:
        """Tell which grid points lie in an outline or within a margin of one.

        Args:
            xs, ys: coordinates of columns and rows, ascending, metres.
            margin_m: how far around each outline counts too.

        Returns:
            Shape (len(ys), len(xs)).
        """
        covered = np.zeros((len(ys), len(xs)), bool)
        for outline, low, high in zip(self._outlines, self.low, self.high, strict=True):
            columns = slice(*np.searchsorted(xs, (low[0] - margin_m, high[0] + margin_m)))
            rows = slice(*np.searchsorted(ys, (low[1] - margin_m, high[1] + margin_m)))
            points = np.stack(np.meshgrid(xs[columns], ys[rows]), 2)
            covered[rows, columns] |= _within(outline, points, margin_m)
        return covered


def _within(outline: Floats, points: Floats, margin_m: float) -> NDArray[np.bool_]:
    """Tell which points, shape (..., 2), lie in a convex outline or close to it."""
    steps = np.roll(outline, -1, axis=0) - outline
    lengths = np.linalg.norm(steps, axis=1)
    inside = np.ones(points.shape[:-1], bool)
    close = np.zeros(points.shape[:-1], bool)
    for start, step, length in zip(outline, steps, lengths, strict=True):
        offset = points - start
        inside &= step[0] * offset[..., 1] - step[1] * offset[..., 0] >= 0
        share = np.clip(offset @ step / length ** 2, 0, 1)
        away = offset - share[..., None] * step
        close |= (away ** 2).sum(axis=-1) <= margin_m ** 2
    return inside | close


def _outline(collider: Collider, low_m: float, high_m: float) -> Floats | None:
    """Return the outline, shape (k, 2), counter-clockwise, or None outside the band."""
    if collider.shape == 'cylinder':
        angle = np.linspace(0, 2 * np.pi, CYLINDER_SIDES, endpoint=False)
        ring = np.stack([np.cos(angle), np.sin(angle), np.ones_like(angle)], 1)
        corners = np.vstack([ring, ring * (1, 1, -1)]) * collider.size
    else:
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        corners = signs * collider.size
    points = corners @ collider.rotation.T + collider.position
    if points[:, 2].max() <= low_m or points[:, 2].min() >= high_m:
        return None
    floor = points[:, :2]
    hull: Floats = floor[ConvexHull(floor).vertices]
    return hull
