"""Depth against the map: whether it is mirrored left to right, or shows what is not there.

A driver that mirrors depth alone, or depth and picture, puts what is seen where its mirror image
is; the floor in it cannot tell. So what depth shows is laid on the map as it is, and mirrored
about the middle of the picture. Furniture that is in no map, a wrong map or a wrong pose let
neither fit, and from one heading a room may look like its mirror image: only looks from several
headings tell.

Depth that is too near, as of a time-of-flight camera whose phase wraps, hides the floor as
furniture does. But it stands wherever the map is free, whichever way the camera looks.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.core import Report
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.contracts.grid import FREE, OCCUPIED, OccupancyGrid
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.floor_shown import shows_floor
from semantic_nav.verify.grounding.look_rays import rays_of

_Array = NDArray[np.float64]

#: What is so high over the floor is compared with the map, and so far off, in m.
_HEIGHT_M, _AWAY_M = (0.25, 1.9), (0.25, 6.0)
#: Of so many columns with anything, this share lies so near to what the map has: then depth fits.
#: With no more than the smaller share it does not.
_COLUMNS, _FITS, _FITS_NOT, _NEAR_M = 15, 0.85, 0.6, 0.25
#: From this share of columns on whose farthest lies so far from all that the map has, on free
#: floor, depth that shows no floor is astray.
_ON_FREE = 0.4
#: Of the rays of a look every second one, in each direction, is enough.
_EACH = 2
#: Errors of the heading that a localisation has, in rad.
_TURNS_RAD = (0.0, -0.08, 0.08, -0.16, 0.16)
#: Headings that differ by less count as one, in rad; so do views that are no farther apart, in m.
#: Depth is named from so many on.
_APART_RAD, _APART_M, _ENOUGH = 0.3, 0.5, 3


@dataclass(frozen=True)
class DepthOnMap:
    """What the looks of a camera tell.

    Attributes:
        headings_rad: from which only mirrored depth fits the map, as angles in the map frame.
        mirrored: depth is mirrored; None before anything told.
        views: from which it shows neither floor nor map, the newest; of the camera, in the map.
        astray: depth shows what is not there.
    """

    headings_rad: tuple[float, ...] = ()
    mirrored: bool | None = None
    views: tuple[Pose2D, ...] = ()
    astray: bool = False

    def after(self, look: LookFrozen, map_T_odom: Transform, grid: OccupancyGrid | None) -> Self:
        """Return it after a look that is placed in the map by a correction of the odometry."""
        eye = map_T_odom @ look.odom_T_camera
        if grid is None or not look.depth_mm.size or not _has_walls(grid, eye):
            return self
        heading_rad = math.atan2(eye.matrix[1, 2], eye.matrix[0, 2])
        as_is, mirrored, on_free = _fits(replace(look, odom_T_camera=eye), grid)
        view = Pose2D(*eye.translation[:2], heading_rad)
        return self._after_view(
            view, shows_floor(look), on_free, fits=as_is >= _FITS or mirrored >= _FITS,
        )._after_heading(heading_rad, as_is, mirrored)

    def _after_view(self, view: Pose2D, floor: bool | None, on_free: float, *,
                    fits: bool) -> Self:
        views = self.views
        if floor:
            views = ()
        elif fits:
            # Before a wall in its place noise may fit, too.
            views = views[1:]
        elif floor is False and on_free >= _ON_FREE and all(
                view.moved_from(one, _APART_M, _APART_RAD) for one in views):
            views = (*views, view)[-_ENOUGH:]
        return replace(self, views=views, astray=bool(views) and (
            self.astray or len(views) == _ENOUGH))

    def _after_heading(self, heading_rad: float, as_is: float, mirrored: float) -> Self:
        if as_is >= _FITS and mirrored <= _FITS_NOT:
            return replace(self, headings_rad=(), mirrored=False)
        if mirrored < _FITS and mirrored < as_is:
            return replace(self, headings_rad=self.headings_rad[1:])
        if mirrored >= _FITS and as_is <= _FITS_NOT and not any(
                abs(wrap_angle(heading_rad - one)) < _APART_RAD for one in self.headings_rad):
            headings_rad = (*self.headings_rad, heading_rad)
            return replace(self, headings_rad=headings_rad,
                           mirrored=True if len(headings_rad) >= _ENOUGH else self.mirrored)
        return self

    @property
    def words(self) -> str:
        """Why nothing is where depth has it, and what to do about it; empty where it may be."""
        if self.mirrored:
            return ('the depth fits the map mirrored left to right, not as it is: switch the '
                    'mirroring of depth or picture off in its driver')
        return '' if not self.astray else (
            f'the depth shows neither the floor nor the walls of the map from {_ENOUGH} views, '
            'but surfaces where the map is free: see whether something is on the lens or before '
            'it, and the unit, range mode and (time of flight) phase unwrapping of its driver; or '
            'map or pose are wrong')


def depth_report(cameras: Mapping[str, DepthOnMap]) -> Report | None:
    """Return what people are told of the cameras, by name; None while nothing told."""
    told = [f'camera {name!r}: {one.words}' for name, one in cameras.items() if one.words]
    if not told and all(one.mirrored is None for one in cameras.values()):
        return None
    return Report('depth on map', Level.WARN if told else Level.OK,
                  '; '.join(told) or 'the depth fits the map')


def _fits(look: LookFrozen, grid: OccupancyGrid) -> tuple[float, float, float]:
    """Return how well depth fits the map as it is, and mirrored, and how much is on free floor.

    All are shares of the columns; NaN where too few show anything.

    Args:
        look: with the camera in the map frame.
        grid: the map.
    """
    part, rays, eye_m = rays_of(look)
    depth_m, rays = part[::_EACH, ::_EACH] / 1e3, rays[::_EACH, ::_EACH]
    (as_is, on_free), (mirrored, _) = (
        _laid(grid, _farthest(depth, rays, eye_m), look.odom_T_camera)
        for depth in (depth_m, depth_m[:, ::-1]))
    return as_is, mirrored, on_free


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


def _laid(grid: OccupancyGrid, seen: _Array, eye: Transform) -> tuple[float, float]:
    """Return which share of points from a camera has something near on the map, and which nothing.

    It is looked for along both axes: nothing that is one cell thin gets through. What the heading
    may err by is made good.
    """
    if len(seen) < _COLUMNS:
        return math.nan, math.nan
    cells = math.ceil(_NEAR_M / grid.resolution_m)
    steps = np.linspace(-_NEAR_M, _NEAR_M, 2 * cells + 1)
    none = np.zeros_like(steps)
    near, free = [], []
    for turn_rad in _TURNS_RAD:
        cos, sin = math.cos(turn_rad), math.sin(turn_rad)
        x, y = (seen @ ((cos, sin), (-sin, cos)) + eye.translation[:2]).T
        values = grid.values_at((x[:, None] + (*steps, *none)).ravel(),
                                (y[:, None] + (*none, *steps)).ravel()).reshape(len(x), -1)
        near.append(float(np.mean((values >= OCCUPIED).any(axis=1))))
        free.append(float(np.mean(((values >= FREE) & (values < OCCUPIED)).all(axis=1))))
    return max(near), min(free)


def _has_walls(grid: OccupancyGrid, eye: Transform) -> bool:
    """Tell whether anything stands on the map as near as depth is compared with it."""
    x, y, _ = eye.translation
    (top, left), (bottom, right) = (
        grid.cell_of(x + away_m, y + away_m) for away_m in (-_AWAY_M[1], _AWAY_M[1]))
    return bool((grid.cells[max(0, top):max(0, bottom), max(0, left):max(0, right)]
                 >= OCCUPIED).any())
