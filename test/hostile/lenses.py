"""Lenses for the hostile run: what they do to a picture, and it undone, pixel by pixel."""

import math

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Distortion, Intrinsics
from semantic_nav.contracts.hypothesis import Box

#: None of them bends sidewards: each is known by how far from the middle it shows a direction.
LENSES = (Distortion('plumb_bob', (-0.16, 0.02, 0.0, 0.0, 0.0)),
          Distortion('plumb_bob', (0.09, -0.01, 0.0, 0.0, 0.0)),
          Distortion('equidistant', (-0.02, 0.004, 0.0, 0.0)))
_EDGE_POINTS = 9


def _shown_at(lens: Distortion, radius: float) -> float:
    """Return how far from the middle a lens shows what a pinhole shows at a radius."""
    first, second, third, fourth = lens.coefficients[:4]
    if lens.model == 'equidistant':
        angle = math.atan(radius)
        return angle * (1.0 + first * angle**2 + second * angle**4 + third * angle**6
                        + fourth * angle**8)
    return radius * (1.0 + first * radius**2 + second * radius**4)


def _seen_from(lens: Distortion, shown: float) -> float:
    """Return the radius that a lens shows there, by halving."""
    low, high = 0.0, 1.6
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _shown_at(lens, middle) < shown else (low, middle)
    return (low + high) / 2


def _undone(lens: Distortion, x: float, y: float) -> tuple[float, float]:
    shown = math.hypot(x, y)
    scale = _seen_from(lens, shown) / shown if shown else 1.0
    return x * scale, y * scale


def picture_through(lens: Distortion, camera: Intrinsics, fine_mm: NDArray[np.uint16],
                    fine: Intrinsics) -> NDArray[np.uint16]:
    """Return what a camera with a lens measures.

    Args:
        lens: of the camera.
        camera: as a pinhole.
        fine_mm: depth of a pinhole camera with many more pixels; 0 beyond its edge.
        fine: that camera.
    """
    found = np.zeros((camera.height_px, camera.width_px), np.uint16)
    for v in range(camera.height_px):
        for u in range(camera.width_px):
            x, y = _undone(lens, (u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy)
            row, column = round(y * fine.fy + fine.cy), round(x * fine.fx + fine.cx)
            if 0 <= row < fine.height_px and 0 <= column < fine.width_px:
                found[v, u] = fine_mm[row, column]
    return found


def picture_without(lens: Distortion, camera: Intrinsics, depth_mm: list[list[int]],
                    ) -> list[list[int]]:
    """Return depth as a pinhole camera would have it."""
    found = [[0] * camera.width_px for _ in range(camera.height_px)]
    for v in range(camera.height_px):
        for u in range(camera.width_px):
            x, y = (u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy
            radius = math.hypot(x, y)
            scale = _shown_at(lens, radius) / radius if radius else 1.0
            row, column = (round(y * scale * camera.fy + camera.cy),
                           round(x * scale * camera.fx + camera.cx))
            if 0 <= row < camera.height_px and 0 <= column < camera.width_px:
                found[v][u] = depth_mm[row][column]
    return found


def box_through(lens: Distortion | None, camera: Intrinsics, box: Box) -> Box:
    """Return a box of a pinhole picture as one round the same corners through a lens."""
    if lens is None:
        return box
    x, y = zip(*(_bent(lens, *one) for one in _edge(camera, box)), strict=True)
    return _per_mille(camera, x, y)


def box_without(lens: Distortion | None, camera: Intrinsics, box: Box) -> Box:
    """Return the box of a pinhole picture round what one through a lens shows."""
    if lens is None:
        return box
    x, y = zip(*(_undone(lens, *one) for one in _edge(camera, box)), strict=True)
    return _per_mille(camera, x, y)


def _bent(lens: Distortion, x: float, y: float) -> tuple[float, float]:
    radius = math.hypot(x, y)
    scale = _shown_at(lens, radius) / radius if radius else 1.0
    return x * scale, y * scale


def _edge(camera: Intrinsics, box: Box) -> list[tuple[float, float]]:
    found = []
    for step in range(_EDGE_POINTS):
        share = step / (_EDGE_POINTS - 1)
        across, down = (low + (high - low) * share for low, high in (
            (box[0], box[2]), (box[1], box[3])))
        found += [(across, box[1]), (across, box[3]), (box[0], down), (box[2], down)]
    return [((u / 1000 * camera.width_px - 0.5 - camera.cx) / camera.fx,
             (v / 1000 * camera.height_px - 0.5 - camera.cy) / camera.fy) for u, v in found]


def _per_mille(camera: Intrinsics, x: tuple[float, ...], y: tuple[float, ...]) -> Box:
    left, right = ((one * camera.fx + camera.cx + 0.5) / camera.width_px * 1000
                   for one in (min(x), max(x)))
    top, bottom = ((one * camera.fy + camera.cy + 0.5) / camera.height_px * 1000
                   for one in (min(y), max(y)))
    return left, top, right, bottom
