"""Clear view before a camera without depth, in each direction, by scanner and map."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav.verify.events import Scan
from semantic_nav.verify.floor.scanner import shown_by
from semantic_nav.verify.grounding.picture_outline import outline_of

#: Range of the lookup in the map, in m.
_MAP_M = 10.0
#: Spacing of the bearings, and of the points on the floor, of seen surfaces.
_BEARING_RAD, _FLOOR_M = 0.015, 0.04
#: Depth of an obstacle that counts as seen, in m.
_FACE_M = 0.1
_Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outlook:
    """First obstacle in each direction from a camera, over the floor.

    Attributes:
        x, y: of the camera, in the map frame.
        height_m: of the scanner over the floor.
        angles_rad: bearings from the camera to the ends of scan rays, in the map frame, shape
            (n,).
        away_m: distance of the hit of each ray; infinite for no hit.
        clear_m: distance up to which each ray shows the view to be clear.
        spread_rad: angle between two rays.
        grid: the map; None before it has come.
        fault: message that the scanner measures nothing; empty else.
    """

    x: float
    y: float
    height_m: float
    angles_rad: _Array
    away_m: _Array
    clear_m: _Array
    spread_rad: float
    grid: OccupancyGrid | None
    fault: str

    @classmethod
    def of(cls, scan: Scan, map_T_scanner: Transform, eye: Point,
           grid: OccupancyGrid | None) -> Self:
        """The outlook by a scan; rays that failed to measure are left out."""
        shown = shown_by(scan, map_T_scanner, grid)
        told = ~np.isnan(shown.clear_m)
        ranges = shown.clear_m[told]
        angles = scan.angle_min_rad + scan.step_rad * np.flatnonzero(told)
        ends = map_T_scanner.apply(np.stack(
            [ranges * np.cos(angles), ranges * np.sin(angles), np.zeros_like(ranges)], axis=1))
        x, y = ends[:, 0] - eye[0], ends[:, 1] - eye[1]
        away = np.hypot(x, y)
        return cls(eye[0], eye[1], map_T_scanner.translation[2], np.arctan2(y, x),
                   np.where(np.isinf(scan.ranges_m[told]), np.inf, away), away,
                   abs(scan.step_rad), grid, shown.fault)

    @property
    def shows_something(self) -> bool:
        """Tell whether any ray measured."""
        return self.angles_rad.size > 0

    def met_m(self, bearing_rad: float, half_rad: float) -> float:
        """Distance of the first obstacle in a cone, in m; NaN if the scanner did not look there.

        Args:
            bearing_rad: of the axis of the cone, in the map frame.
            half_rad: half of its opening angle.
        """
        return float(self._all_m(np.array([bearing_rad]), half_rad)[0][0])

    def clear_to_m(self, bearing_rad: float) -> float:
        """Distance up to which the view is clear, in m; NaN if the scanner did not look there."""
        return float(self.all_clear_m(np.array([bearing_rad]))[0])

    def all_clear_m(self, bearings_rad: _Array) -> _Array:
        """Distances up to which the view is clear at bearings, in m, shape (n,)."""
        return self._all_m(bearings_rad, 0.0)[1]

    def all_met_m(self, bearings_rad: _Array) -> _Array:
        """Distances of the first obstacle at bearings, in m, shape (n,)."""
        return self._all_m(bearings_rad, 0.0)[0]

    def _all_m(self, bearings_rad: _Array, half_rad: float) -> tuple[_Array, _Array]:
        """Distances of the first obstacle in cones, and up to which the view is clear there.

        The median ray of a cone counts, because a single one may pass by or err.
        """
        if not self.shows_something:
            nothing = np.full(len(bearings_rad), np.nan)
            return nothing, nothing
        aside = np.abs(np.remainder(self.angles_rad - bearings_rad[:, None] + math.pi, math.tau)
                       - math.pi)
        inside = aside <= max(half_rad, self.spread_rad)
        counts = inside.sum(axis=1)
        order = np.argsort(np.where(inside, self.away_m, np.nan), axis=1)
        middle = order[np.arange(len(order)), np.maximum(counts - 1, 0) // 2]
        on_map_m = np.where(counts > 0, self._on_map_m(bearings_rad), np.nan)
        return (np.minimum(self.away_m[middle], on_map_m),
                np.minimum(self.clear_m[middle], on_map_m))

    def _on_map_m(self, bearings_rad: _Array) -> _Array:
        """Distance of the first occupied cell of the map, in m; infinite for none."""
        if self.grid is None:
            return np.full(len(bearings_rad), np.inf)
        steps = np.arange(1, int(2 * _MAP_M / self.grid.resolution_m)) * (
            self.grid.resolution_m / 2)
        x = self.x + np.cos(bearings_rad)[:, None] * steps
        y = self.y + np.sin(bearings_rad)[:, None] * steps
        occupied = (self.grid.values_at(x.ravel(), y.ravel()) >= OCCUPIED).reshape(x.shape)
        return np.where(occupied.any(axis=1), steps[occupied.argmax(axis=1)], np.inf)


def seen_floor(outlook: Outlook, intrinsics: Intrinsics, map_T_camera: Transform,
               range_m: float) -> SeenSurfaces:
    """Points of the floor in view up to the first obstacle, and of the face of that obstacle.

    Floor behind a low obstacle may be in the picture too, but that is not known.
    """
    axes = map_T_camera.matrix[:3, :3]
    yaw = math.atan2(float(axes[1, 2]), float(axes[0, 2]))
    half_rad = outline_of(intrinsics, axes).half_across_rad
    count = max(3, math.ceil(2 * half_rad / _BEARING_RAD))
    aside = np.linspace(-half_rad, half_rad, count)
    met_m, clear_m = outlook.all_met_m(yaw + aside), outlook.all_clear_m(yaw + aside)
    away_m = np.arange(1, int(range_m / _FLOOR_M) + 1) * _FLOOR_M
    eye_m = map_T_camera.translation[2]
    nearest_m, nearest_at_m = (_from_m(eye_m - height_m, intrinsics, axes)
                               for height_m in (0.0, outlook.height_m))
    seen = (away_m >= nearest_m) & (away_m < clear_m[:, None])
    # The foot of an obstacle may be out of the picture while the height of the scan is in it.
    seen |= ((away_m >= np.maximum(met_m[:, None], nearest_at_m))
             & (away_m <= met_m[:, None] + _FACE_M))
    bearings = yaw + aside
    x = outlook.x + np.cos(bearings)[:, None] * away_m
    y = outlook.y + np.sin(bearings)[:, None] * away_m
    end_m = np.minimum(clear_m, range_m)
    ends = np.stack([outlook.x + np.cos(bearings) * end_m,
                     outlook.y + np.sin(bearings) * end_m], axis=1)
    return SeenSurfaces(outlook.x, outlook.y, yaw, half_rad, range_m,
                        np.stack([x[seen], y[seen]], axis=1), ends[~np.isnan(clear_m)])


def _from_m(below_m: float, intrinsics: Intrinsics, axes: _Array) -> float:
    """Least distance in m at which a point `below_m` under the camera is in the picture."""
    lowest = axes @ outline_of(intrinsics, axes).low
    falls = -float(lowest[2])
    if falls <= 0.0:
        return math.inf
    return max(0.0, below_m * math.hypot(lowest[0], lowest[1]) / falls)
