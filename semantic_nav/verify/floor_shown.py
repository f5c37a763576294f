"""The floor in the depth of a look: whether it lies where TF has it.

A focal length of another camera or size, depth in another unit, a frame that is turned or a camera
that TF has too high are all seen by it: they lift the floor, or tilt it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.look_rays import rays_of

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


@dataclass(frozen=True)
class ShownFloor:
    """The floor as a look shows it.

    Attributes:
        there: it lies where TF has it.
        above_m, tilt_rad: how it lies against that of TF otherwise; 0 where it is hidden.
        grave: by so much that places are wrong altogether.
        below: share of the depth that lies below it, where no plane was found.
        times: its distance in that of TF; 0 where that is not one number.
    """

    there: bool = False
    above_m: float = 0.0
    tilt_rad: float = 0.0
    grave: bool = False
    below: float = 0.0
    times: float = 0.0

    def __str__(self) -> str:
        if not self.above_m:
            return ''
        unit = '' if self.times < _UNIT else (
            f', {self.times:.1f} times as far, as if it counted {1.0 / self.times:.2g} mm')
        if self.below:
            return (
                f'{self.below:.0%} of the depth lies {abs(self.above_m):.2f} m below the floor of '
                f'TF{unit}: see the unit of the depth (16UC1 counts mm), whether depth and '
                'camera_info are of one camera and size, and whether steps lead down or the floor '
                'mirrors')
        side = 'above' if self.above_m > 0.0 else 'below'
        return (
            f'the depth shows the floor {abs(self.above_m):.2f} m {side} that of TF, tilted by '
            f'{math.degrees(self.tilt_rad):.0f} degrees{unit}: see whether TF has base and camera '
            'at their height and tilt, whether depth and camera_info are of one camera and size, '
            'and the unit of the depth')


def floor_shown(look: LookFrozen) -> ShownFloor:
    """Return where a look shows the floor.

    Where something stands before all of it nobody knows. A table does that, too, but beyond its
    edge lies what is lower. Nothing that stands on the floor lies below it.
    """
    points, leads = _met(look)
    off_m = _OFF_M + _OFF_SHARE * np.hypot(points[..., 0], points[..., 1])
    eye_m = look.odom_T_camera.translation[2]
    if not leads.any() or np.count_nonzero(leads) < _LEAST_SHARE * leads.size:
        return _below(points[..., 2], off_m, eye_m) or ShownFloor()
    level = _plane(points[leads], off_m[leads])
    over_m = points[..., 2] - (level[0] + points[..., :2] @ level[1:])
    on_it = np.abs(over_m[leads]) <= off_m[leads]
    height_m = points[leads][:, 2]
    tilt_rad = math.atan(math.hypot(*level[1:]))
    if tilt_rad > _TILT_RAD or float(np.mean(on_it)) < _PLANE or (
            float(np.mean(over_m < -off_m)) > _LOWER):
        return _below(points[..., 2], off_m, eye_m) or ShownFloor(
            float(np.mean(np.abs(height_m) <= off_m[leads])) >= _THERE)
    if float(np.median(np.abs(height_m) / off_m[leads])) <= 1.0:
        return ShownFloor(there=True)
    above_m = float(np.median(height_m))
    return ShownFloor(False, above_m, tilt_rad, abs(above_m) > _GRAVE * eye_m,
                      times=1.0 - above_m / eye_m)


def _below(height_m: _Array, off_m: _Array, eye_m: float) -> ShownFloor | None:
    """Return by how much depth lies below the floor; None where hardly any does.

    Furniture and walls only ever hide the floor, they do not lower it.
    """
    if not height_m.size or eye_m <= 0.0:
        return None
    times = 1.0 - height_m / eye_m
    below = (height_m < -off_m) & (times > 1.0 + _GRAVE)
    share = float(np.mean(below))
    if share < _BELOW:
        return None
    most = float(np.percentile(times[below], 90.0))
    alike = float(np.mean(np.abs(times[below] / most - 1.0) < _ALIKE))
    on_it = float(np.mean(np.abs(times - 1.0) < _ALIKE))
    grave = share > on_it
    return ShownFloor(False, float(np.median(height_m[below])), 0.0, grave, share,
                      most if grave and alike >= _OTHER_UNIT else 0.0)


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


def _met(look: LookFrozen) -> tuple[_Array, NDArray[np.bool_]]:
    """Return what some pixels show, and which of them lead to near floor.

    Points are from below the camera, in the odometry's axes, of shape (rows, columns, 3); what was
    not measured lies infinitely high above it.
    """
    part, rays, eye_m = rays_of(look)
    depth_m = part / 1e3
    leads = (depth_m > 0.0) & (eye_m > 0.0) & (
        -rays[..., 2] * _NEAR_M > eye_m * np.hypot(rays[..., 0], rays[..., 1]))
    points = rays * depth_m[..., None] + (0.0, 0.0, eye_m)
    points[depth_m == 0.0] = (0.0, 0.0, np.inf)
    return points, leads
