"""The floor in the depth of a look: whether it lies where TF has it.

A focal length of another camera or size, depth in another unit, a frame that is turned or a camera
that TF has too high are all seen by it: they lift the floor, or tilt it. A camera that hangs
upside down, or lies on its side, shows it where TF has a ceiling, or a wall.
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

#: Rays that would meet the floor nearer than this tell, and not less than this share of a picture.
_NEAR_M, _LEAST_SHARE = 4.0, 0.04
#: How far off the floor what is measured may be, in m and as a share of its distance.
_OFF_M, _OFF_SHARE = 0.08, 0.04
#: One plane that so many of those rays meet is the floor, if no more than so few of all pixels
#: show what lies lower; without one it is there where so many meet it.
_PLANE, _LOWER, _THERE = 0.8, 0.005, 0.05
#: How often the plane is fitted to what lies near it.
_ROUNDS = 5
#: An odometry has climbed if it has the robot higher, or lower, than this; the floor shows that.
_CLIMB_M = 0.1
#: A plane that is tilted by more is none, in radians.
_TILT_RAD = 0.25
#: What puts things elsewhere altogether, as a share of the camera's height; less does a base_link
#: that is not on the floor.
_GRAVE = 0.3
#: Where furniture leaves no plane, depth is doubted from this share of it on that lies far below
#: the floor, and it is grave where more does than lies on the floor.
_BELOW = 0.04
#: From this share on the farthest of it is taken for the floor in another unit.
_OTHER_UNIT = 0.1
#: What is of one number, as a share of the floor's distance.
_ALIKE = 0.05
#: A focal length is seldom so wrong: a unit is.
_UNIT = 1.9
#: Where TF has the camera at a wrong height, it seldom sits higher, in m.
_MAST_M = 3.0
#: Turns of a camera about its axis that TF may lack, in degrees.
_ROLLS_DEG = (90, 180, 270)
#: A turn shows the floor if this share of the picture lies in one plane at its height, as level as
#: this, in rad: that share of what is near its height, within a part of how far off that may be.
_FLAT, _LEVEL_RAD, _IN_PLANE, _THIN = 0.03, 0.12, 0.7, 1.0 / 3.0
#: Ceilings are higher, in m: what lies lower, as far above the camera as the floor is below it, is
#: the floor where of the rays to the floor of TF no larger share than this measured anything.
_CEILING_M, _HIDDEN = 2.1, 0.25
#: Of the rays to near floor, a look shows it for sure where so many do, and hides it where at
#: least so many measured anything else.
_SHOWN, _MEASURED = 0.2, 0.5


@dataclass(frozen=True)
class ShownFloor:
    """The floor as a look shows it.

    Attributes:
        there: it lies where TF has it.
        above_m, tilt_rad: how it lies against that of TF otherwise; 0 where it is hidden.
        grave: by so much that places are wrong altogether.
        below: share of the depth that lies below it, where no plane was found.
        times: its distance in that of TF; 0 where that is not one number.
        roll_deg: turn of the camera about its axis that TF lacks.
        eye_m: height of the camera by TF; 0 where the floor is there, or hidden.
        base_m: height of the robot by its odometry; 0 where the floor is there, or hidden.
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
    """Return where a look shows the floor."""
    shown = _shown(look)
    return replace(shown, base_m=look.odom_T_base.translation[2]) if shown.above_m else shown


def shows_floor(look: LookFrozen) -> bool | None:
    """Return whether a look surely shows the floor where TF has it in view.

    None where TF has hardly any in view, or little was measured there.
    """
    met = _met(look)
    rays = np.count_nonzero(met.to_floor)
    if rays < _LEAST_SHARE * met.leads.size:
        return None
    if met.flat * met.leads.size >= _SHOWN * rays > 0:
        return True
    return False if np.count_nonzero(met.leads) >= _MEASURED * rays > 0 else None


def _shown(look: LookFrozen) -> ShownFloor:
    """Return where it shows the floor, whoever is to blame.

    Where something stands before all of it nobody knows. A table does that, too, but beyond its
    edge lies what is lower. Nothing that stands on the floor lies below it.
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
    """What some pixels show, arrays of shape (rows, columns).

    Attributes:
        points: from below the camera, in the odometry's axes, with a last axis of 3; what was not
            measured lies infinitely high above it.
        to_floor: which pixels lead to near floor.
        leads: which of those measured anything.
        off_m: how far off the floor each may be.
        eye_m: how high the camera is above the floor.
    """

    points: _Array
    to_floor: NDArray[np.bool_]
    leads: NDArray[np.bool_]
    off_m: _Array
    eye_m: float

    @property
    def lower(self) -> NDArray[np.bool_]:
        """Which lie far below the floor."""
        height_m = self.points[..., 2]
        return (height_m < -self.off_m) & (height_m < -_GRAVE * self.eye_m) & (self.eye_m > 0.0)

    @property
    def flat(self) -> float:
        """The share of the picture that is floor for sure: level and thin, at its height."""
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
    """Return by how much the camera is turned about its axis against TF; 0 where that is unknown.

    Furniture that hides the floor is higher than it. So the floor is looked for elsewhere only if
    there is depth below that of TF, or none before it where what is above can be no ceiling.
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
    """Return by how much depth lies below the floor; None where hardly any does.

    Furniture and walls only ever hide the floor, they do not lower it.
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
    """Return how far below that of TF the floor is, where TF has the camera not above it.

    Where base_link is taken for the floor, it is no lower than an axle is high.
    """
    height_m = met.points[..., 2]
    below = height_m < -met.off_m
    share = float(np.mean(below)) if below.size else 0.0
    if share < _BELOW:
        return ShownFloor()
    above_m = float(np.percentile(height_m[below], 10.0))
    return ShownFloor(False, above_m, 0.0, above_m < -AXLE_M, share, eye_m=met.eye_m)


def _plane(points: _Array, off_m: _Array) -> _Array:
    """Return height and slopes, along x and y, of the plane that most of some points lie on."""
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
