"""From a box and a depth picture to a place, by the pinhole model."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.explore.coverage import ViewFan
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import Intrinsics

#: Share of a box's width and height that is read: its edges show what is behind.
_CORE = 0.6
#: Depth of the object within the core: small things stand before their background.
_NEAR_PERCENTILE = 30
#: How far around that depth pixels belong to the object, in metres.
_THICKNESS_M = 0.2
_MIN_PIXELS = 4
#: A box that comes so near to the edge of the picture is cut off, in per mille.
_EDGE = 8.0
#: Depth noise of structured-light and stereo cameras grows about so with the distance, per metre.
_DEPTH_NOISE = 0.01
#: Pixels between the rays of a view fan.
_FAN_STRIDE = 8


@dataclass(frozen=True)
class Grounded:
    """Where the content of a box is.

    Attributes:
        position: in the map frame.
        sigma_m: standard deviations along x, y and z.
        distance_m: from the camera.
        provisional: too far or cut off, so not to be relied on.
    """

    position: Point
    sigma_m: Point
    distance_m: float
    provisional: bool


def ground_box(box: Box, depth_mm: NDArray[np.uint16], intrinsics: Intrinsics,
               map_T_camera: Transform, config: VerifierConfig) -> Grounded:
    """Return the place of what a box shows.

    Args:
        box: per mille of the picture, which the depth picture is registered to.
        depth_mm: shape (height, width), 0 where nothing was measured.
        intrinsics: of the depth picture.
        map_T_camera: of the optical frame at the picture's stamp.
        config: distances that are believed.

    Raises:
        GroundingError: there is no depth in the box, or none that is believed.
    """
    rows, columns = _core_window(box, depth_mm.shape)
    window = depth_mm[rows, columns].astype(np.float64) / 1000.0
    believed = (window >= config.ground_min_m) & (window <= config.ground_max_m)
    if int(believed.sum()) < min(_MIN_PIXELS, window.size):
        raise GroundingError('the depth picture shows nothing in the box between '
                             f'{config.ground_min_m:g} and {config.ground_max_m:g} m')
    # The lower one of two neighbours, for between them there may be no pixel at all.
    near = float(np.percentile(window[believed], _NEAR_PERCENTILE, method='lower'))
    of_object = believed & (np.abs(window - near) <= _THICKNESS_M)
    v, u = np.nonzero(of_object)
    z = window[of_object]
    x = (u + columns.start + 0.5 - intrinsics.cx) / intrinsics.fx * z
    y = (v + rows.start + 0.5 - intrinsics.cy) / intrinsics.fy * z
    points = map_T_camera.apply(np.stack([x, y, z], axis=1))
    centre = points.mean(axis=0)
    spread = points.std(axis=0) + _DEPTH_NOISE * near
    distance_m = float(np.linalg.norm(centre - np.array(map_T_camera.translation)))
    cut = min(box[0], box[1]) < _EDGE or max(box[2], box[3]) > 1000.0 - _EDGE
    return Grounded(
        position=(float(centre[0]), float(centre[1]), float(centre[2])),
        sigma_m=(float(spread[0]), float(spread[1]), float(spread[2])),
        distance_m=distance_m, provisional=cut or distance_m > config.ground_sure_m)


def _core_window(box: Box, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Return the rows and columns of the middle of a box; at least one pixel each."""
    height, width = shape
    return (_core_range(box[1], box[3], height), _core_range(box[0], box[2], width))


def _core_range(low: float, high: float, pixels: int) -> slice:
    middle, half = (low + high) / 2, (high - low) / 2 * _CORE
    first = min(pixels - 1, max(0, math.floor((middle - half) / 1000.0 * pixels)))
    return slice(first, max(first + 1, min(pixels, math.ceil((middle + half) / 1000.0 * pixels))))


def box_bearing(box: Box, intrinsics: Intrinsics, base_T_camera: Transform) -> float:
    """Return the direction of a box's centre from the robot's heading, positive to the left."""
    u = (box[0] + box[2]) / 2000.0 * intrinsics.width_px
    v = (box[1] + box[3]) / 2000.0 * intrinsics.height_px
    ray = np.array([(u - intrinsics.cx) / intrinsics.fx, (v - intrinsics.cy) / intrinsics.fy, 1.0])
    forward = base_T_camera.matrix[:3, :3] @ ray
    return math.atan2(float(forward[1]), float(forward[0]))


def view_fan(depth_mm: NDArray[np.uint16], intrinsics: Intrinsics, map_T_camera: Transform,
             range_m: float) -> ViewFan:
    """Return how far the picture overlooks the floor in each direction.

    In each column of the picture the farthest measured point counts: a look passes over a table
    but not through a wall or a shelf as high as the camera.
    """
    rows = np.arange(0, depth_mm.shape[0], _FAN_STRIDE)
    columns = np.arange(0, depth_mm.shape[1], _FAN_STRIDE)
    z = depth_mm[np.ix_(rows, columns)].astype(np.float64) / 1000.0
    x = (columns + 0.5 - intrinsics.cx) / intrinsics.fx * z
    y = (rows[:, None] + 0.5 - intrinsics.cy) / intrinsics.fy * z
    points = map_T_camera.apply(np.stack([x, y, z], axis=2))
    eye = np.array(map_T_camera.translation)
    reach = np.hypot(points[..., 0] - eye[0], points[..., 1] - eye[1]).max(axis=0)
    axes = map_T_camera.matrix[:3, :3]
    yaw = math.atan2(float(axes[1, 2]), float(axes[0, 2]))
    # The picture runs from left to right, bearings from right to left.
    tilt = math.hypot(float(axes[0, 2]), float(axes[1, 2]))
    bearings = -np.arctan2(columns + 0.5 - intrinsics.cx, intrinsics.fx * tilt)
    return ViewFan(float(eye[0]), float(eye[1]), yaw, bearings[::-1].copy(),
                   np.minimum(reach, range_m)[::-1].copy())
