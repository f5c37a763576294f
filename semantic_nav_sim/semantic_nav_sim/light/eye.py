"""The light body's camera: rays against boxes and cylinders, floor and ceiling.

Stands in for rendering: depth and the object of each pixel, no colour.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.light.solids import Solid, Solids
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.world.meshes import Floats

#: Solids nearer to the camera's plane than this may fill the picture.
_NEAR_M = 0.05
_TINY = 1e-9
Grid = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sight:
    """One picture.

    Attributes:
        depth_m: float32, shape (height, width), along the optical axis.
        owners: int32, in that shape: index of the object in the stage's order, -1 for none.
    """

    depth_m: NDArray[np.float32]
    owners: NDArray[np.int32]


def look(solids: Solids, ceiling_m: float, camera: CameraModel, base: Pose2D,
         reach_m: float = math.inf) -> Sight:
    """The view of a camera.

    The nearest solids go first. Each is met only by the rays in its window, unless all of them
    have ended before it.

    Args:
        solids: everything between floor and ceiling.
        ceiling_m: height of the ceiling.
        camera: with one pixel for each ray.
        base: pose of the robot.
        reach_m: solids beyond this depth are left out.
    """
    eye, axes = camera.position(base), camera.map_r_optical(base)
    (cx, cy), focal = camera.centre_px, camera.focal_px
    # Rays by their depth: a point at depth t lies at t * (x, y, 1) in the optical frame.
    x = ((np.arange(camera.width) - cx) / focal).astype(np.float32)
    y = ((np.arange(camera.height) - cy) / focal).astype(np.float32)
    depth = _between_floor_and_ceiling(eye, axes, x, y, ceiling_m)
    owners = np.full(depth.shape, -1, np.int32)
    corners = (solids.corners - eye) @ axes
    nearest = corners[..., 2].min(axis=1)
    windows = _windows(corners, camera)
    in_view = np.flatnonzero((windows[:, 0] < windows[:, 1]) & (windows[:, 2] < windows[:, 3])
                             & (nearest < reach_m))
    for index in in_view[np.argsort(nearest[in_view])].tolist():
        top, bottom, left, right = windows[index].tolist()
        seen = depth[top:bottom, left:right]
        if seen.max() <= nearest[index]:
            continue
        solid = solids.each[index]
        enter, leave = _passed(solid, eye, axes, x[left:right], y[top:bottom])
        met = enter < seen
        if nearest[index] <= 0:
            met &= enter > 0
        # If a ray misses a solid, it leaves it before it enters it.
        met &= ~(enter > leave)
        np.copyto(seen, enter, where=met)
        np.copyto(owners[top:bottom, left:right], solid.owner, where=met)
    return Sight(depth, owners)


def _between_floor_and_ceiling(eye: Floats, axes: Floats, x: Grid, y: Grid,
                               ceiling_m: float) -> Grid:
    rise = _upwards(axes[2], x, y)
    with np.errstate(divide='ignore'):
        depth = np.where(rise < 0, -eye[2] / rise, (ceiling_m - eye[2]) / rise)
    return np.broadcast_to(depth, (len(y), len(x))).astype(np.float32)


def _windows(corners: Floats, camera: CameraModel) -> NDArray[np.int64]:
    """The window of pixels that may meet each solid: top, bottom, left, right, shape (n, 4).

    Args:
        corners: in the optical frame, shape (n, 8, 3).
    """
    behind = corners[..., 2] < _NEAR_M
    through = behind.any(axis=1)
    depth = np.where(behind, np.nan, corners[..., 2])
    windows = []
    for axis, centre, size in ((1, camera.centre_px[1], camera.height),
                               (0, camera.centre_px[0], camera.width)):
        aside = corners[..., axis]
        pixel = aside / depth * camera.focal_px + centre
        # A solid that crosses the camera's plane has no end on the sides that it reaches.
        first = np.where(through & (aside.min(axis=1) < 0), 0, np.fmin.reduce(pixel, axis=1))
        last = np.where(through & (aside.max(axis=1) > 0), size, np.fmax.reduce(pixel, axis=1))
        windows += [np.clip(np.floor(first), 0, size), np.clip(np.ceil(last) + 1, 0, size)]
    found = np.stack(windows, axis=1)
    found[behind.all(axis=1)] = 0
    return found.astype(np.int64)


def _passed(solid: Solid, eye: Floats, axes: Floats, x: Grid, y: Grid) -> tuple[Grid, Grid]:
    """The depths at which each ray of a window enters and leaves a solid."""
    turn = solid.rotation.T
    start, ways = turn @ (eye - solid.position), turn @ axes
    # A ray parallel to a plane meets it nowhere, or everywhere.
    with np.errstate(divide='ignore', invalid='ignore'):
        if solid.shape == 'box':
            enter, leave = _between_planes(start[0], solid.half[0], _along(ways[0], x, y))
            near, far = _between_planes(start[1], solid.half[1], _along(ways[1], x, y))
            np.maximum(enter, near, out=enter)
            np.minimum(leave, far, out=leave)
        else:
            enter, leave = _in_tube(start, solid.half[0], _along(ways[0], x, y),
                                    _along(ways[1], x, y))
        near, far = _between_planes(start[2], solid.half[2], _upwards(ways[2], x, y))
        np.maximum(enter, near, out=enter)
        np.minimum(leave, far, out=leave)
    return enter, leave


def _along(way: Floats, x: Grid, y: Grid) -> Grid:
    """The distance along an axis for each metre of depth, for each ray, shape (rows, columns)."""
    x_part, y_part, straight = way.astype(np.float32)
    along: Grid = x_part * x + (y_part * y + straight)[:, None]
    return along


def _upwards(way: Floats, x: Grid, y: Grid) -> Grid:
    """The distance along an axis that mostly points upwards, shape (rows, columns or 1).

    For a camera without roll it is equal along a row.
    """
    return _along(way, x[:1] if abs(way[0]) < _TINY else x, y)


def _between_planes(start: float, half: float, along: Grid) -> tuple[Grid, Grid]:
    """The depths at which rays enter and leave the space between two planes, at -half and half."""
    inverse = np.reciprocal(along)
    one = inverse * np.float32(-half - start)
    two = np.multiply(inverse, np.float32(half - start), out=inverse)
    return np.minimum(one, two), np.maximum(one, two, out=one)


def _in_tube(start: Floats, radius: float, x: Grid, y: Grid) -> tuple[Grid, Grid]:
    """The depths at which rays enter and leave an infinite tube around the z axis."""
    square = x * x + y * y
    half = np.float32(start[0]) * x + np.float32(start[1]) * y
    rest = np.float32(start[0] ** 2 + start[1] ** 2 - radius ** 2)
    under = half * half - square * rest
    root = np.sqrt(np.maximum(under, 0))
    enter, leave = (-half - root) / square, (-half + root) / square
    enter[under < 0] = np.inf
    return enter, leave
