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


@dataclass(frozen=True)
class ShownFloor:
    """The floor as a look shows it.

    Attributes:
        there: it lies where TF has it.
        above_m, tilt_rad: how it lies against that of TF otherwise; 0 where it is hidden.
        grave: by so much that places are wrong altogether.
    """

    there: bool = False
    above_m: float = 0.0
    tilt_rad: float = 0.0
    grave: bool = False

    def __str__(self) -> str:
        if not self.above_m:
            return ''
        side = 'above' if self.above_m > 0.0 else 'below'
        return (
            f'the depth shows the floor {abs(self.above_m):.2f} m {side} that of TF, tilted by '
            f'{math.degrees(self.tilt_rad):.0f} degrees: see whether TF has base and camera at '
            'their height and tilt, whether depth and camera_info are of one camera and size, and '
            'the unit of the depth')


def floor_shown(look: LookFrozen) -> ShownFloor:
    """Return where a look shows the floor.

    Where something stands before all of it nobody knows. A table does that, too, but beyond its
    edge lies what is lower.
    """
    points, leads = _met(look)
    if not leads.any() or np.count_nonzero(leads) < _LEAST_SHARE * leads.size:
        return ShownFloor()
    off_m = _OFF_M + _OFF_SHARE * np.hypot(points[..., 0], points[..., 1])
    level = _plane(points[leads], off_m[leads])
    over_m = points[..., 2] - (level[0] + points[..., :2] @ level[1:])
    on_it = np.abs(over_m[leads]) <= off_m[leads]
    height_m = points[leads][:, 2]
    tilt_rad = math.atan(math.hypot(*level[1:]))
    if tilt_rad > _TILT_RAD or float(np.mean(on_it)) < _PLANE or (
            float(np.mean(over_m < -off_m)) > _LOWER):
        return ShownFloor(float(np.mean(np.abs(height_m) <= off_m[leads])) >= _THERE)
    if float(np.median(np.abs(height_m) / off_m[leads])) <= 1.0:
        return ShownFloor(there=True)
    above_m = float(np.median(height_m))
    return ShownFloor(False, above_m, tilt_rad,
                      abs(above_m) > _GRAVE * look.odom_T_camera.translation[2])


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
