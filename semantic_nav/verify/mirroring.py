"""Whether depth is mirrored left to right, by the map: the floor in it cannot tell.

A driver that mirrors depth alone, or depth and picture, puts what is seen where its mirror image
is. So what depth shows is laid on the map as it is, and mirrored about the middle of the picture.
Furniture that is in no map, a wrong map or a wrong pose let neither fit, and from one heading a
room may look like its mirror image: only looks from several headings tell.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.core import Report
from semantic_nav.contracts.geometry import Transform, wrap_angle
from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.look_rays import rays_of

_Array = NDArray[np.float64]

#: What is so high over the floor is compared with the map, and so far off, in m.
_HEIGHT_M, _AWAY_M = (0.25, 1.9), (0.8, 6.0)
#: Of so many columns with anything, this share lies so near to what the map has: then depth fits.
#: With no more than the smaller share it does not.
_COLUMNS, _FITS, _FITS_NOT, _NEAR_M = 15, 0.85, 0.6, 0.25
#: Of the rays of a look every second one, in each direction, is enough.
_EACH = 2
#: Errors of the heading that a localisation has, in rad.
_TURNS_RAD = (0.0, -0.08, 0.08, -0.16, 0.16)
#: Headings that differ by less count as one, in rad, and mirrored depth is named from so many on.
_APART_RAD, _ENOUGH = 0.3, 3


@dataclass(frozen=True)
class Mirroring:
    """What the looks of a camera tell.

    Attributes:
        headings_rad: from which only mirrored depth fits the map, as angles in the map frame.
        found: depth is mirrored; None before anything told.
    """

    headings_rad: tuple[float, ...] = ()
    found: bool | None = None

    def after(self, look: LookFrozen, map_T_odom: Transform, grid: OccupancyGrid | None) -> Self:
        """Return it after a look that is placed in the map by a correction of the odometry."""
        if grid is None or not look.depth_mm.size:
            return self
        eye = map_T_odom @ look.odom_T_camera
        as_is, mirrored = _fits(replace(look, odom_T_camera=eye), grid)
        if as_is >= _FITS and mirrored <= _FITS_NOT:
            return replace(self, headings_rad=(), found=False)
        if mirrored < _FITS and mirrored < as_is:
            return replace(self, headings_rad=self.headings_rad[1:])
        heading_rad = math.atan2(eye.matrix[1, 2], eye.matrix[0, 2])
        if mirrored >= _FITS and as_is <= _FITS_NOT and not any(
                abs(wrap_angle(heading_rad - one)) < _APART_RAD for one in self.headings_rad):
            headings_rad = (*self.headings_rad, heading_rad)
            return replace(self, headings_rad=headings_rad,
                           found=True if len(headings_rad) >= _ENOUGH else self.found)
        return self

    @property
    def words(self) -> str:
        """That depth is mirrored, and what to do about it; empty where nobody knows."""
        return '' if not self.found else (
            'the depth fits the map mirrored left to right, not as it is: switch the mirroring of '
            'depth or picture off in its driver')


def mirroring_report(cameras: Mapping[str, Mirroring]) -> Report | None:
    """Return what people are told of the cameras, by name; None while nothing told."""
    if all(one.found is None for one in cameras.values()):
        return None
    mirrored = [f'camera {name!r}: {one.words}' for name, one in cameras.items() if one.found]
    return Report('mirroring', Level.WARN if mirrored else Level.OK,
                  '; '.join(mirrored) or 'the depth fits the map')


def _fits(look: LookFrozen, grid: OccupancyGrid) -> tuple[float, float]:
    """Return how well depth fits the map as it is, and mirrored; NaN where too little is seen.

    Args:
        look: with the camera in the map frame.
        grid: the map.
    """
    part, rays, eye_m = rays_of(look)
    depth_m, rays = part[::_EACH, ::_EACH] / 1e3, rays[::_EACH, ::_EACH]
    as_is, mirrored = (max(_share_on(grid, seen, turn_rad, look.odom_T_camera)
                           for turn_rad in _TURNS_RAD) for seen in (
        _farthest(depth, rays, eye_m) for depth in (depth_m, depth_m[:, ::-1])))
    return as_is, mirrored


def _farthest(depth_m: _Array, rays: _Array, eye_m: float) -> _Array:
    """Return what is farthest in each column that shows anything, from the camera, shape (n, 2).

    Furniture hides walls, walls hide nothing that is in the map.
    """
    away_m = depth_m * np.hypot(rays[..., 0], rays[..., 1])
    high_m = depth_m * rays[..., 2] + eye_m
    shown = (_HEIGHT_M[0] < high_m) & (high_m < _HEIGHT_M[1]) & (
        _AWAY_M[0] < away_m) & (away_m < _AWAY_M[1])
    away_m = np.where(shown, away_m, 0.0)
    rows, columns = away_m.argmax(axis=0), np.arange(away_m.shape[1])
    points = rays[rows, columns, :2] * depth_m[rows, columns, None]
    seen: _Array = points[away_m[rows, columns] > 0.0]
    return seen


def _share_on(grid: OccupancyGrid, seen: _Array, turn_rad: float, eye: Transform) -> float:
    """Return which share of points, from a camera turned so much, has something near on the map.

    It is looked for along both axes: nothing that is one cell thin gets through.
    """
    if len(seen) < _COLUMNS:
        return math.nan
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    x, y = (seen @ ((cos, sin), (-sin, cos)) + eye.translation[:2]).T
    cells = math.ceil(_NEAR_M / grid.resolution_m)
    steps = np.linspace(-_NEAR_M, _NEAR_M, 2 * cells + 1)
    none = np.zeros_like(steps)
    values = grid.values_at((x[:, None] + (*steps, *none)).ravel(),
                            (y[:, None] + (*none, *steps)).ravel())
    return float(np.mean((values.reshape(len(x), -1) >= OCCUPIED).any(axis=1)))
