"""Clear view by a laser scan: up to the hit of a ray, and how far for rays without a hit.

A ray without a hit (REP 117: +inf) may have lost its echo to black cloth, glass or sunlight. All
rays do if the scanner is covered or its motor stands. So such a ray shows clear floor only where
the map agrees, where its neighbours have no hit either, and if the scanner answers elsewhere.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.verify.events import Scan

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Largest distance at which the map is looked up, and which a ray without a hit shows, in m.
MOST_M = 25.0
#: Neighbours on either side of a ray that must have no hit either, so that it is no lost echo.
_BESIDE = 4
#: Least number of rays towards walls that tell how well the scanner answers.
_ENOUGH = 20
#: Share of these rays without a hit above which no ray without a hit is believed, and share of
#: them with a hit below which the scanner measures nothing.
_LOST, _ANSWERED = 0.25, 0.1
#: Share of its range within which a scanner surely hits a wall.
_SURELY = 0.9
#: Number of directions in which walls round a robot are looked up.
_ROUND = 72


@dataclass(frozen=True, eq=False)
class Walls:
    """Free and occupied distances on the map in some directions from a point.

    Attributes:
        free_m: distance up to which it is known to be free, shape (n,).
        occupied_m: distance of the first occupied cell, shape (n,); infinite for none.
    """

    free_m: Floats
    occupied_m: Floats

    @classmethod
    def of(cls, grid: OccupancyGrid, x: float, y: float, bearings_rad: Floats,
           most_m: float) -> 'Walls':
        """Walls for bearings in rad in the map frame, shape (n,), up to a distance in m."""
        steps: Floats = grid.resolution_m * np.arange(
            1.0, max(2, math.ceil(most_m / grid.resolution_m)))
        across = x + np.cos(bearings_rad)[:, None] * steps
        along = y + np.sin(bearings_rad)[:, None] * steps
        values = grid.values_at(across.ravel(), along.ravel()).reshape(across.shape)
        return cls(_first(~((values >= 0) & (values < OCCUPIED)), steps, most_m),
                   _first(values >= OCCUPIED, steps, math.inf))

    def must_meet(self, reach_m: float) -> Mask:
        """Mask of the directions in which a scanner must hit something, shape (n,)."""
        met: Mask = (self.occupied_m <= self.free_m) & (self.occupied_m < _SURELY * reach_m)
        return met


def _first(hit: Mask, steps: Floats, otherwise: float) -> Floats:
    return np.where(hit.any(axis=1), steps[hit.argmax(axis=1)], otherwise)


def walls_within(grid: OccupancyGrid, x: float, y: float, reach_m: float) -> bool:
    """Tell whether a scanner at a point must hit something on the map.

    Args:
        grid: the map.
        x, y: of the scanner, in the map frame.
        reach_m: its range.
    """
    bearings = np.linspace(-math.pi, math.pi, _ROUND, endpoint=False)
    walls = Walls.of(grid, x, y, bearings, min(reach_m, MOST_M))
    return int(walls.must_meet(reach_m).sum()) >= _ENOUGH


@dataclass(frozen=True, eq=False)
class ScanView:
    """The clear view by a scan.

    Attributes:
        clear_m: distance from the scanner up to which each ray shows the view to be clear, which
            ends at a hit, shape (rays,); NaN for rays that show nothing.
        fault: message that the scanner hits nothing though there are walls; empty else.
    """

    clear_m: Floats
    fault: str = ''


def shown_by(scan: Scan, map_T_scanner: Transform, grid: OccupancyGrid | None) -> ScanView:
    """The clear view by a scan.

    Args:
        scan: with the rays.
        map_T_scanner: at its stamp.
        grid: the map; None before it has come.
    """
    met = np.isfinite(scan.ranges_m)
    clear = np.where(met, scan.ranges_m, np.nan).astype(np.float64)
    if met.all() or grid is None or not scan.reach_m:
        return ScanView(clear)
    walls = _walls_of(scan, map_T_scanner, grid)
    must = walls.must_meet(scan.reach_m)
    answered = float(met[must].mean()) if must.sum() >= _ENOUGH else math.nan
    if answered < _ANSWERED:
        return ScanView(np.full_like(clear, np.nan), (
            f'the laser scanner measures nothing: of {must.sum()} rays that must meet walls of '
            f'the map within {scan.reach_m:g} m {met[must].sum()} did; see its power, its motor, '
            'and whether it is covered'))
    # Without enough walls only its own hits can show that the scanner works.
    works = answered >= 1.0 - _LOST if math.isfinite(answered) else met.mean() >= _ANSWERED
    if works:
        is_open = np.isposinf(scan.ranges_m)
        believed = is_open & np.isinf(walls.occupied_m) & ~_beside(~is_open, scan)
        clear[believed] = np.minimum(walls.free_m, scan.reach_m)[believed]
    return ScanView(clear)


def _walls_of(scan: Scan, map_T_scanner: Transform, grid: OccupancyGrid) -> Walls:
    """Walls in the direction of each ray, looked up in whole degrees."""
    angles = scan.angle_min_rad + scan.step_rad * np.arange(scan.ranges_m.size)
    towards = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1) @ (
        map_T_scanner.matrix[:3, :3].T)
    degrees, of_ray = np.unique(np.rint(np.degrees(np.arctan2(towards[:, 1], towards[:, 0]))),
                                return_inverse=True)
    x, y, _ = map_T_scanner.translation
    walls = Walls.of(grid, x, y, np.radians(degrees), min(scan.reach_m, MOST_M))
    return Walls(walls.free_m[of_ray], walls.occupied_m[of_ray])


def _beside(rays: Mask, scan: Scan) -> Mask:
    """Mask of some rays and their neighbours, shape (rays,)."""
    whole = abs(scan.step_rad) * (rays.size + 1) >= math.tau
    padded = np.pad(rays, _BESIDE, mode='wrap' if whole else 'constant')
    near: Mask = np.convolve(padded, np.ones(2 * _BESIDE + 1), mode='valid') > 0.5
    return near
