"""Check of depth and TF by the floor: whether a look shows it where TF has it.

A focal length of another camera or size, depth in another unit, a turned frame or a camera too
high in TF all lift or tilt the floor. A camera upside down or on its side shows it where TF has a
ceiling or a wall.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.look_rays import rays_of
from semantic_nav.verify.grounding.mount import AXLE_M

_Array = NDArray[np.float64]

#: Distance within which rays must meet the floor to be used, in m, and least share of the picture
#: that they must be.
_NEAR_M, _LEAST_SHARE = 4.0, 0.04
#: Tolerance of points on the floor, in m and as a share of their distance.
_OFF_M, _OFF_SHARE = 0.08, 0.04
#: Share of those rays on one plane from which on it is the floor, and largest share of all pixels
#: below it. Without such a plane, share of the rays on the floor of TF that confirms it.
_PLANE, _LOWER, _THERE = 0.8, 0.005, 0.05
#: Number of fits of the plane to the points near it.
_ROUNDS = 5
#: Height of the robot by its odometry, up or down, from which on it has drifted, in m, and
#: tolerance of the floor that confirms it.
_CLIMB_M = 0.1
#: Largest tilt of a plane that may be the floor, in rad.
_TILT_RAD = 0.25
#: Error of the floor's height that makes places useless, as a share of the camera's height. A
#: base_link above the floor causes less.
_GRAVE = 0.3
#: Share of the depth far below the floor from which on it is doubted if furniture leaves no plane.
#: It is grave if more lies there than on the floor.
_BELOW = 0.04
#: Share of that depth at about one ratio to the floor's distance from which on it is taken for
#: the floor in another unit.
_OTHER_UNIT = 0.1
#: Tolerance of such a ratio, as a share of it.
_ALIKE = 0.05
#: Ratio of distances from which on the unit is probably wrong; a focal length seldom is so wrong.
_UNIT = 1.9
#: Height above which a camera seldom sits, in m.
_MAST_M = 3.0
#: Rolls of a camera about its axis that TF may lack, in degrees.
_ROLLS_DEG = (90, 180, 270)
#: Test of a roll by the floor: share of the picture in one plane at its height, largest tilt in
#: rad, share of the points near that height in the plane, and thickness of the plane as a share of
#: the tolerance.
_FLAT, _LEVEL_RAD, _IN_PLANE, _THIN = 0.03, 0.12, 0.7, 1.0 / 3.0
#: Lowest ceiling, in m, and largest share of the rays to the floor of TF with a measurement. Below
#: both, a plane as far above the camera as the floor is below it is the floor, not a ceiling.
_CEILING_M, _HIDDEN = 2.1, 0.25
#: Share of the rays to near floor that must be on it to show it for sure, and share of them that
#: must have measured something to tell that it is hidden.
_SHOWN, _MEASURED = 0.2, 0.5


@dataclass(frozen=True)
class ShownFloor:
    """The floor as a look shows it.

    Attributes:
        there: it lies where TF has it.
        above_m, tilt_rad: its height and tilt against the floor of TF; 0 if it is there or hidden.
        grave: the error is so large that places are useless.
        below: share of the depth that lies below the floor of TF, if no plane was found.
        times: ratio of its distance to that by TF; 0 if there is no single ratio.
        roll_deg: roll of the camera about its axis that TF lacks.
        eye_m: height of the camera by TF; 0 if the floor is there or hidden.
        base_m: height of the robot by its odometry; 0 if the floor is there or hidden.
    """

    there: bool = False
    above_m: float = 0.0
    tilt_rad: float = 0.0
    grave: bool = False
    below: float = 0.0
    times: float = 0.0
    roll_deg: int = 0
    eye_m: float = 0.0
    base_m: float = 0.0

    def __str__(self) -> str:
        if self.roll_deg:
            lies = 'hangs upside down' if self.roll_deg == 180 else 'lies on its side'
            return (
                f'the depth shows the floor of TF only if it is turned by {self.roll_deg} '
                f'degrees: the camera {lies} against TF. Turn its optical frame by '
                f'{self.roll_deg} degrees about its z axis (the roll of its link), or let its '
                'driver turn picture, depth and camera_info')
        if not self.above_m:
            return ''
        sits_m = self.eye_m - self.above_m
        high = '' if not 0.0 < sits_m < _MAST_M or self.tilt_rad > _LEVEL_RAD else (
            f', as if the camera sat {sits_m:.2f} m high, not {self.eye_m:.2f} m')
        if abs(self.base_m) > _CLIMB_M and abs(self.above_m - self.base_m) < _CLIMB_M:
            high = (f', as the odometry has the robot {self.base_m:.2f} m high: let it tell no '
                    'height (two_d_mode)')
        unit = '' if self.times < _UNIT else (
            f', or {self.times:.1f} times as far, as if it counted {1.0 / self.times:.2g} mm')
        if self.below:
            return (
                f'{self.below:.0%} of the depth lies {abs(self.above_m):.2f} m below the floor of '
                f'TF{high}{unit}: see height and roll of the camera in TF, the unit of the depth '
                '(16UC1 counts mm), camera_info, and whether steps lead down or the floor mirrors')
        side = 'above' if self.above_m > 0.0 else 'below'
        return (
            f'the depth shows the floor {abs(self.above_m):.2f} m {side} that of TF, tilted by '
            f'{math.degrees(self.tilt_rad):.0f} degrees{high}{unit}: see whether TF has base and '
            'camera at their height and tilt, whether camera_info fits the depth, and the unit of '
            'the depth')


def floor_shown(look: LookFrozen) -> ShownFloor:
    """The floor as a look shows it."""
    shown = _shown(look)
    return replace(shown, base_m=look.odom_T_base.translation[2]) if shown.above_m else shown


def shows_floor(look: LookFrozen) -> bool | None:
    """True if a look surely shows the floor where TF has it, False if the floor is hidden there.

    None if TF has hardly any floor in view, or if little was measured there.
    """
    met = _met(look)
    rays = np.count_nonzero(met.to_floor)
    if rays < _LEAST_SHARE * met.leads.size:
        return None
    if met.flat * met.leads.size >= _SHOWN * rays > 0:
        return True
    return False if np.count_nonzero(met.leads) >= _MEASURED * rays > 0 else None


def _shown(look: LookFrozen) -> ShownFloor:
    """The floor as a look shows it, without the height of the robot by its odometry.

    The floor is unknown if something hides all of it. A table may look like the floor, but lower
    points are seen beyond its edge. Nothing that stands on the floor lies below it.
    """
    met = _met(look)
    roll_deg = _roll_deg(look, met)
    if roll_deg:
        return ShownFloor(grave=True, roll_deg=roll_deg)
    points, leads, off_m, eye_m = met.points, met.leads, met.off_m, met.eye_m
    if eye_m <= 0.0:
        return _under(met)
    if not leads.any() or np.count_nonzero(leads) < _LEAST_SHARE * leads.size:
        return _below(met) or ShownFloor()
    level = _plane(points[leads], off_m[leads])
    over_m = points[..., 2] - (level[0] + points[..., :2] @ level[1:])
    on_it = np.abs(over_m[leads]) <= off_m[leads]
    height_m = points[leads][:, 2]
    tilt_rad = math.atan(math.hypot(*level[1:]))
    if tilt_rad > _TILT_RAD or float(np.mean(on_it)) < _PLANE or (
            float(np.mean(over_m < -off_m)) > _LOWER):
        return _below(met) or ShownFloor(
            float(np.mean(np.abs(height_m) <= off_m[leads])) >= _THERE)
    if float(np.median(np.abs(height_m) / off_m[leads])) <= 1.0:
        return ShownFloor(there=True)
    above_m = float(np.median(height_m))
    return ShownFloor(False, above_m, tilt_rad, abs(above_m) > _GRAVE * eye_m,
                      times=1.0 - above_m / eye_m, eye_m=eye_m)


@dataclass(frozen=True, eq=False)
class _Met:
    """Points of some pixels, as arrays of shape (rows, columns).

    Attributes:
        points: relative to the floor of TF below the camera, in the axes of the odometry, shape
            (rows, columns, 3); infinitely high without a measurement.
        to_floor: mask of the pixels towards near floor.
        leads: mask of those with a measurement.
        off_m: tolerance of the height of each point on the floor.
        eye_m: height of the camera above the floor.
    """

    points: _Array
    to_floor: NDArray[np.bool_]
    leads: NDArray[np.bool_]
    off_m: _Array
    eye_m: float

    @property
    def lower(self) -> NDArray[np.bool_]:
        """Mask of the points far below the floor."""
        height_m = self.points[..., 2]
        return (height_m < -self.off_m) & (height_m < -_GRAVE * self.eye_m) & (self.eye_m > 0.0)

    @property
    def flat(self) -> float:
        """Share of the picture that is surely floor: a level, thin plane at its height."""
        near = self.leads & (np.abs(self.points[..., 2]) <= self.off_m)
        if not near.any():
            return 0.0
        points, thin_m = self.points[near], _THIN * self.off_m[near]
        level = _plane(points, thin_m)
        flat = np.abs(points[:, 2] - level[0] - points[:, :2] @ level[1:]) <= thin_m
        share = np.count_nonzero(flat) / self.leads.size
        sure = math.hypot(*level[1:]) < _LEVEL_RAD and float(np.mean(flat)) >= _IN_PLANE
        return share if sure else 0.0


def _roll_deg(look: LookFrozen, met: _Met) -> int:
    """Roll of the camera about its axis that TF lacks, in degrees; 0 if none is known.

    Furniture that hides the floor is higher than it. So rolls are tried only if there is depth
    below the floor of TF, or if hardly any ray to it measured and a ceiling would be too low.
    """
    if not met.leads.size:
        return 0
    rolls_deg: tuple[int, ...] = _ROLLS_DEG
    if float(np.mean(met.lower)) < _BELOW:
        rays = np.count_nonzero(met.to_floor)
        if 2.0 * met.eye_m > _CEILING_M or rays < _LEAST_SHARE * met.leads.size or (
                np.count_nonzero(met.leads) > _HIDDEN * rays):
            return 0
        rolls_deg = (180,)
    flat = {0: met.flat}
    for roll_deg in rolls_deg:
        half_rad = math.radians(roll_deg) / 2.0
        turned = _met(replace(look, odom_T_camera=look.odom_T_camera @ Transform(
            (0.0, 0.0, 0.0), (0.0, 0.0, math.sin(half_rad), math.cos(half_rad)))))
        if float(np.mean(turned.lower)) <= _LOWER:
            flat[roll_deg] = turned.flat
    best_deg = max(flat, key=flat.__getitem__)
    return best_deg if flat[best_deg] >= _FLAT else 0


def _below(met: _Met) -> ShownFloor | None:
    """The floor by depth below that of TF; None if hardly any lies there.

    Furniture and walls only hide the floor; they do not lower it.
    """
    below = met.lower
    share = float(np.mean(below)) if below.size else 0.0
    if share < _BELOW:
        return None
    height_m = met.points[..., 2]
    times = 1.0 - height_m / met.eye_m
    most = float(np.percentile(times[below], 90.0))
    alike = float(np.mean(np.abs(times[below] / most - 1.0) < _ALIKE))
    on_it = float(np.mean(np.abs(times - 1.0) < _ALIKE))
    grave = share > on_it
    return ShownFloor(False, float(np.median(height_m[below])), 0.0, grave, share,
                      most if grave and alike >= _OTHER_UNIT else 0.0, eye_m=met.eye_m)


def _under(met: _Met) -> ShownFloor:
    """The floor by depth below that of TF, if TF has the camera not above the floor.

    If base_link is taken for the floor, the true floor is lower by at most the height of an axle.
    """
    height_m = met.points[..., 2]
    below = height_m < -met.off_m
    share = float(np.mean(below)) if below.size else 0.0
    if share < _BELOW:
        return ShownFloor()
    above_m = float(np.percentile(height_m[below], 10.0))
    return ShownFloor(False, above_m, 0.0, above_m < -AXLE_M, share, eye_m=met.eye_m)


def _plane(points: _Array, off_m: _Array) -> _Array:
    """Height, and slopes along x and y, of the plane through most of the points, shape (3,)."""
    sides = np.column_stack([np.ones(len(points)), points[:, :2]])
    near = np.ones(len(points), bool)
    level = np.array([float(np.median(points[:, 2])), 0.0, 0.0])
    for _ in range(_ROUNDS):
        level = np.linalg.lstsq(sides[near], points[near, 2], rcond=None)[0]
        over_m = np.abs(points[:, 2] - sides @ level)
        near = over_m <= np.maximum(off_m, np.median(over_m))
    return level


def _met(look: LookFrozen) -> _Met:
    part, rays, eye_m = rays_of(look)
    depth_m = part / 1e3
    to_floor = (eye_m > 0.0) & (
        -rays[..., 2] * _NEAR_M > eye_m * np.hypot(rays[..., 0], rays[..., 1]))
    points = rays * depth_m[..., None] + (0.0, 0.0, eye_m)
    points[depth_m == 0.0] = (0.0, 0.0, np.inf)
    off_m = _OFF_M + _OFF_SHARE * np.hypot(points[..., 0], points[..., 1])
    return _Met(points, to_floor, to_floor & (depth_m > 0.0), off_m, eye_m)
