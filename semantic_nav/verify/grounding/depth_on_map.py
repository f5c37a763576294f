"""Check of depth against the map: mirrored left to right, or astray.

A driver may mirror depth alone, or depth and picture. Places are then mirrored, and the floor does
not show it. So depth is compared with the map as it is and mirrored about the middle of the
picture. With unmapped furniture, a wrong map or a wrong pose neither fits. From one heading a room
may look like its mirror image, so only looks from several headings tell.

Depth that is too near, as of a time-of-flight camera whose phase wraps, hides the floor as
furniture does. But it lies on free cells of the map in every direction of the camera.
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

#: Ranges of height over the floor and of distance of the points compared with the map, in m.
_HEIGHT_M, _AWAY_M = (0.25, 1.9), (0.25, 6.0)
#: Least number of columns with points, share of them near an occupied cell from which on depth
#: fits, share up to which it does not, and distance that counts as near, in m.
_COLUMNS, _FITS, _FITS_NOT, _NEAR_M = 15, 0.85, 0.6, 0.25
#: Share of columns whose farthest point is on free floor, not near an occupied cell, from which on
#: depth that shows no floor is astray.
_ON_FREE = 0.4
#: Stride over the rays of a look in each direction.
_EACH = 2
#: Errors of the heading that a localisation has, in rad.
_TURNS_RAD = (0.0, -0.08, 0.08, -0.16, 0.16)
#: Differences below which headings count as one, in rad, and views as one, in m. Number of them
#: from which on depth is reported.
_APART_RAD, _APART_M, _ENOUGH = 0.3, 0.5, 3


@dataclass(frozen=True)
class DepthOnMap:
    """Agreement of a camera's depth with the map.

    Attributes:
        headings_rad: headings at which only mirrored depth fits, as angles in the map frame.
        mirrored: depth is mirrored; None if nothing has told yet.
        views: newest camera poses in the map from which depth shows neither floor nor map.
        astray: depth shows surfaces that are not there.
    """

    headings_rad: tuple[float, ...] = ()
    mirrored: bool | None = None
    views: tuple[Pose2D, ...] = ()
    astray: bool = False

    def after(self, look: LookFrozen, map_T_odom: Transform, grid: OccupancyGrid | None) -> Self:
        """The agreement after a look; `map_T_odom` places it in the map."""
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
            # Noise may fit too if the camera faces a mapped wall, so only one view is dropped.
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
        """Fault of the depth, with the remedy; empty for none."""
        if self.mirrored:
            return ('the depth fits the map mirrored left to right, not as it is: switch the '
                    'mirroring of depth or picture off in its driver')
        return '' if not self.astray else (
            f'the depth shows neither the floor nor the walls of the map from {_ENOUGH} views, '
            'but surfaces where the map is free: see whether something is on the lens or before '
            'it, and the unit, range mode and (time of flight) phase unwrapping of its driver; or '
            'map or pose are wrong')


def depth_report(cameras: Mapping[str, DepthOnMap]) -> Report | None:
    """Diagnostic report of all cameras, by name; None if nothing has told yet."""
    told = [f'camera {name!r}: {one.words}' for name, one in cameras.items() if one.words]
    if not told and all(one.mirrored is None for one in cameras.values()):
        return None
    return Report('depth on map', Level.WARN if told else Level.OK,
                  '; '.join(told) or 'the depth fits the map')


def _fits(look: LookFrozen, grid: OccupancyGrid) -> tuple[float, float, float]:
    """Shares of the columns that fit as they are, that fit mirrored, and that are on free floor.

    NaN if too few columns have points.

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
    """Farthest point of each column with points, relative to the camera, shape (n, 2).

    Furniture hides walls, but walls hide nothing that the map has.
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
    """Shares of the points of a camera near an occupied cell, and with only free cells near.

    Cells are looked up along both axes, so that a wall of one cell is not missed. Headings within
    the error of the localisation are tried.
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
    """Tell whether the map has an occupied cell within the range of the comparison."""
    x, y, _ = eye.translation
    (top, left), (bottom, right) = (
        grid.cell_of(x + away_m, y + away_m) for away_m in (-_AWAY_M[1], _AWAY_M[1]))
    return bool((grid.cells[max(0, top):max(0, bottom), max(0, left):max(0, right)]
                 >= OCCUPIED).any())
