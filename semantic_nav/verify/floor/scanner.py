"""What a scan shows: what its rays met, and how far the view is clear where they met nothing.

A ray that met nothing (REP 117: +inf) may have lost its echo: by black cloth, glass or sunlight,
and all of them do where the scanner is covered, or stands still. So it shows clear floor only
where the map agrees, beside others like it, and of a scanner that answers elsewhere.
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
#: Farther off the map is not asked, and rays that met nothing show nothing, in metres.
MOST_M = 25.0
#: Rays of which so many on either side met nothing too are no lost echoes.
_BESIDE = 4
#: So many rays that must meet something tell how well the scanner answers.
_ENOUGH = 20
#: With a larger share of them without an answer none is believed that met nothing, and with this
#: smaller share answered the scanner measures nothing.
_LOST, _ANSWERED = 0.25, 0.1
#: Within this share of its reach a scanner surely meets a wall.
_SURELY = 0.9
#: Walls round a robot are looked for in so many directions.
_ROUND = 72


@dataclass(frozen=True, eq=False)
class Walls:
    """What the map has in some directions from a point.

    Attributes:
        free_m: how far it is known to be free, shape (n,).
        occupied_m: where the first occupied cell is, shape (n,); infinite for none.
    """

    free_m: Floats
    occupied_m: Floats

    @classmethod
    def of(cls, grid: OccupancyGrid, x: float, y: float, bearings_rad: Floats,
           most_m: float) -> 'Walls':
        """Return it for bearings in the map frame, shape (n,), up to a distance in metres."""
        steps: Floats = grid.resolution_m * np.arange(
            1.0, max(2, math.ceil(most_m / grid.resolution_m)))
        across = x + np.cos(bearings_rad)[:, None] * steps
        along = y + np.sin(bearings_rad)[:, None] * steps
        values = grid.values_at(across.ravel(), along.ravel()).reshape(across.shape)
        return cls(_first(~((values >= 0) & (values < OCCUPIED)), steps, most_m),
                   _first(values >= OCCUPIED, steps, math.inf))

    def must_meet(self, reach_m: float) -> Mask:
        """Return in which directions a scanner must meet something, shape (n,)."""
        met: Mask = (self.occupied_m <= self.free_m) & (self.occupied_m < _SURELY * reach_m)
        return met


def _first(hit: Mask, steps: Floats, otherwise: float) -> Floats:
    return np.where(hit.any(axis=1), steps[hit.argmax(axis=1)], otherwise)


def walls_within(grid: OccupancyGrid, x: float, y: float, reach_m: float) -> bool:
    """Tell whether a scanner at a point must meet something of the map, wherever it looks to.

    Args:
        grid: the map.
        x, y: of the scanner, in the map frame.
        reach_m: how far it measures.
    """
    bearings = np.linspace(-math.pi, math.pi, _ROUND, endpoint=False)
    walls = Walls.of(grid, x, y, bearings, min(reach_m, MOST_M))
    return int(walls.must_meet(reach_m).sum()) >= _ENOUGH


@dataclass(frozen=True, eq=False)
class Shown:
    """What a scan shows.

    Attributes:
        clear_m: how far from the scanner each ray shows the view to be clear, which is up to what
            it met, shape (rays,); NaN where it shows nothing.
        fault: that the scanner meets nothing though there are walls, in words; empty else.
    """

    clear_m: Floats
    fault: str = ''


def shown_by(scan: Scan, map_T_scanner: Transform, grid: OccupancyGrid | None) -> Shown:
    """Return what a scan shows.

    Args:
        scan: with the rays.
        map_T_scanner: of its stamp.
        grid: the map; None before it has come.
    """
    met = np.isfinite(scan.ranges_m)
    clear = np.where(met, scan.ranges_m, np.nan).astype(np.float64)
    if met.all() or grid is None or not scan.reach_m:
        return Shown(clear)
    walls = _walls_of(scan, map_T_scanner, grid)
    must = walls.must_meet(scan.reach_m)
    answered = float(met[must].mean()) if must.sum() >= _ENOUGH else math.nan
    if answered < _ANSWERED:
        return Shown(np.full_like(clear, np.nan), (
            f'the laser scanner measures nothing: of {must.sum()} rays that must meet walls of '
            f'the map within {scan.reach_m:g} m {met[must].sum()} did; see its power, its motor, '
            'and whether it is covered'))
    # Of one that no wall tells about, only its own answers can be taken for a sign that it works.
    works = answered >= 1.0 - _LOST if math.isfinite(answered) else met.mean() >= _ANSWERED
    if works:
        is_open = np.isposinf(scan.ranges_m)
        believed = is_open & np.isinf(walls.occupied_m) & ~_beside(~is_open, scan)
        clear[believed] = np.minimum(walls.free_m, scan.reach_m)[believed]
    return Shown(clear)


def _walls_of(scan: Scan, map_T_scanner: Transform, grid: OccupancyGrid) -> Walls:
    """Return what the map has in the direction of each ray, asked for in whole degrees."""
    angles = scan.angle_min_rad + scan.step_rad * np.arange(scan.ranges_m.size)
    towards = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1) @ (
        map_T_scanner.matrix[:3, :3].T)
    degrees, of_ray = np.unique(np.rint(np.degrees(np.arctan2(towards[:, 1], towards[:, 0]))),
                                return_inverse=True)
    x, y, _ = map_T_scanner.translation
    walls = Walls.of(grid, x, y, np.radians(degrees), min(scan.reach_m, MOST_M))
    return Walls(walls.free_m[of_ray], walls.occupied_m[of_ray])


def _beside(rays: Mask, scan: Scan) -> Mask:
    """Return some rays and those beside them, shape (rays,)."""
    whole = abs(scan.step_rad) * (rays.size + 1) >= math.tau
    padded = np.pad(rays, _BESIDE, mode='wrap' if whole else 'constant')
    near: Mask = np.convolve(padded, np.ones(2 * _BESIDE + 1), mode='valid') > 0.5
    return near
