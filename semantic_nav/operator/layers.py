"""Map and heat map as pixels: the target's possible positions, after the looks of this goal."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.documents import Candidate, Cone
from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.contracts.grid import FREE, OCCUPIED, UNKNOWN, OccupancyGrid

Pixels = NDArray[np.uint8]
_FREE, _WALL = (252, 252, 250, 255), (64, 70, 82, 255)
_HEAT = (232, 119, 34)
_MOST_ALPHA = 150
#: Share of a cell's chance that a look over it leaves; a sketch, the verifier has its own.
_LEFT = 0.35
#: Distance before a remembered place in which its score counts, in m, and its weight.
_BEFORE_M, _TIMES = 1.5, 4.0


def map_pixels(grid: OccupancyGrid) -> Pixels:
    """A map as RGBA, shape (height, width, 4), north up; unknown cells are transparent."""
    pixels = np.zeros((*grid.shape, 4), np.uint8)
    pixels[grid.free] = _FREE
    pixels[grid.cells >= OCCUPIED] = _WALL
    return pixels[::-1]


def heat_pixels(grid: OccupancyGrid, cones: Sequence[Cone],
                candidates: Sequence[Candidate]) -> Pixels:
    """The target's possible positions as RGBA, shape (height, width, 4), north up.

    All known floor starts equal. Each look of the model over it leaves a part of it, and floor
    before remembered places that fit the goal counts more.

    Args:
        grid: the map.
        cones: views of the looks of this goal.
        candidates: remembered places for the goal.
    """
    height, width = grid.shape
    worth = np.where((grid.cells >= FREE) & (grid.cells < OCCUPIED), 1.0, 0.0)
    worth[grid.cells == UNKNOWN] = 0.0
    x, y = grid.centres_of(np.arange(height), np.arange(width))
    for cone in cones:
        worth *= np.where(_inside(cone, x, y), _LEFT, 1.0)
    for place in candidates:
        ahead = (place.pose.x + 0.5 * _BEFORE_M * np.cos(place.pose.yaw),
                 place.pose.y + 0.5 * _BEFORE_M * np.sin(place.pose.yaw))
        near = np.hypot(x[None, :] - ahead[0], y[:, None] - ahead[1]) < _BEFORE_M
        worth *= np.where(near, 1.0 + _TIMES * place.score, 1.0)
    most = float(worth.max(initial=0.0))
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[..., :3] = _HEAT
    if most > 0.0:
        pixels[..., 3] = (worth / most * _MOST_ALPHA).astype(np.uint8)
    return pixels[::-1]


def _inside(cone: Cone, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    east, north = x[None, :] - cone.x, y[:, None] - cone.y
    off = np.arctan2(north, east) - wrap_angle(cone.yaw)
    off = np.abs((off + np.pi) % (2 * np.pi) - np.pi)
    inside: NDArray[np.bool_] = (off <= cone.half_angle_rad) & (
        np.hypot(east, north) <= cone.range_m)
    return inside
