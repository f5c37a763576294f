"""What a lens does to pictures, and depth and boxes as they would be without: OpenCV's models."""

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Distortion, Intrinsics
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.hypothesis import Box

#: How many coefficients the polynomials of OpenCV may have, each those before it and some more: a
#: rational one three, a thin prism four, a tilted sensor two; and how many a fisheye has.
POLYNOMIAL_COUNTS, FISHEYE_COUNT = (4, 5, 8, 12, 14), 4
#: Its matrix: places are in focal lengths, and nothing is turned.
_NO_CAMERA = np.eye(3)
#: OpenCV 4, as on a robot, has a function of its own for rounds that are counted.
_undistort: Any = getattr(cv2, 'undistortPointsIter', cv2.undistortPoints)
#: How often at most a place is brought nearer to where it would be, and until when.
_ROUNDS = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 40, 1e-9)
#: It is found where the lens shows it at the place, to so many focal lengths.
_FOUND = 1e-5
#: A place so near to the middle of a pixel is there.
_ROUNDED_PX = 1e-6
#: Points along each edge of a box that are followed.
_EDGE_POINTS = 9
_Array = NDArray[np.float64]


def polynomial_name(count: int) -> str:
    """Return how sensor_msgs calls a polynomial of so many coefficients."""
    return 'plumb_bob' if count <= POLYNOMIAL_COUNTS[1] else 'rational_polynomial'


def distorted(x: _Array, y: _Array, distortion: Distortion) -> tuple[_Array, _Array]:
    """Return where a lens shows directions.

    Args:
        x, y: how far right and down a direction leads on each metre ahead.
        distortion: of the lens.

    Returns:
        How far right and down of the middle, in focal lengths.
    """
    points, coefficients = _pairs(x, y), np.array(distortion.coefficients)
    if distortion.model == 'equidistant':
        seen = cv2.fisheye.distortPoints(points, _NO_CAMERA, coefficients)
    else:
        seen, _ = cv2.projectPoints(cv2.convertPointsToHomogeneous(points), np.zeros(3),
                                    np.zeros(3), _NO_CAMERA, coefficients)
    return _apart(seen, x.shape)


def undistorted(x: _Array, y: _Array, distortion: Distortion) -> tuple[_Array, _Array]:
    """Return which directions a lens shows at places; nan where it shows none ahead.

    Args:
        x, y: how far right and down of the middle, in focal lengths.
        distortion: of the lens.
    """
    points, coefficients = _pairs(x, y), np.array(distortion.coefficients)
    if distortion.model == 'equidistant':
        back = cv2.fisheye.undistortPoints(points, _NO_CAMERA, coefficients)
    else:
        back = _undistort(points, _NO_CAMERA, coefficients, R=_NO_CAMERA, P=_NO_CAMERA,
                          criteria=_ROUNDS)
    found_x, found_y = _apart(back, x.shape)
    # OpenCV answers for every place, also for those that the lens shows nothing at.
    there_x, there_y = distorted(found_x, found_y, distortion)
    with np.errstate(invalid='ignore', over='ignore'):
        seen = np.hypot(there_x - x, there_y - y) < _FOUND
    return np.where(seen, found_x, np.nan), np.where(seen, found_y, np.nan)


def _pairs(x: _Array, y: _Array) -> _Array:
    """Return coordinates as OpenCV takes them, shape (1, n, 2)."""
    return np.stack([x.ravel(), y.ravel()], axis=1)[None].astype(np.float64)


def _apart(pairs: NDArray[Any], shape: tuple[int, ...]) -> tuple[_Array, _Array]:
    x, y = pairs.reshape(-1, 2).T.astype(np.float64)
    return x.reshape(shape), y.reshape(shape)


def without_lens(depth_mm: NDArray[np.uint16], camera: Intrinsics) -> NDArray[np.uint16]:
    """Return depth of a distorted picture as the pinhole camera would have it, in its shape.

    Args:
        depth_mm: along the axis, shape (height, width), 0 where nothing was measured.
        camera: of that picture.
    """
    if camera.distortion is None:
        return depth_mm
    rows, columns = _shown_at(camera)
    return np.where(rows < 0, np.uint16(0), depth_mm[rows, columns])


@lru_cache(maxsize=4)
def _shown_at(camera: Intrinsics) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return in which pixel a lens shows each pixel of the pinhole camera; -1 in none."""
    assert camera.distortion is not None
    x, y = _directions(camera)
    seen_x, seen_y = distorted(x, y, camera.distortion)
    back_x, back_y = undistorted(seen_x, seen_y, camera.distortion)
    with np.errstate(invalid='ignore', over='ignore'):
        columns = np.rint(seen_x * camera.fx + camera.cx)
        rows = np.rint(seen_y * camera.fy + camera.cy)
        # Beyond the edge of a lens its formula may lead back into the picture.
        shown = (np.hypot(back_x - x, back_y - y) < 0.01) & (rows >= 0) & (columns >= 0) & (
            rows < camera.height_px) & (columns < camera.width_px)
    return (np.where(shown, rows, -1).astype(np.int64),
            np.where(shown, columns, -1).astype(np.int64))


def box_without_lens(box: Box, camera: Intrinsics) -> Box:
    """Return the box round what a box of a distorted picture shows, in per mille.

    It may reach beyond the picture of the pinhole camera.

    Raises:
        GroundingError: the lens shows nothing there that lies ahead.
    """
    if camera.distortion is None:
        return box
    along = np.linspace(0.0, 1.0, _EDGE_POINTS)
    across, down = (low + (high - low) * along for low, high in (
        (box[0], box[2]), (box[1], box[3])))
    edge = np.ones(_EDGE_POINTS)
    u = np.concatenate([across, across, box[0] * edge, box[2] * edge])
    v = np.concatenate([box[1] * edge, box[3] * edge, down, down])
    x, y = undistorted((u / 1000.0 * camera.width_px - 0.5 - camera.cx) / camera.fx,
                       (v / 1000.0 * camera.height_px - 0.5 - camera.cy) / camera.fy,
                       camera.distortion)
    seen = np.isfinite(x)
    if not seen.any():
        raise GroundingError('the lens shows nothing ahead of the camera in the box')
    u = (x[seen] * camera.fx + camera.cx + 0.5) / camera.width_px * 1000.0
    v = (y[seen] * camera.fy + camera.cy + 0.5) / camera.height_px * 1000.0
    return float(u.min()), float(v.min()), float(u.max()), float(v.max())


def registered(depth_mm: NDArray[np.uint16], depth_camera: Intrinsics, camera: Intrinsics,
               camera_T_depth: Transform) -> NDArray[np.uint16]:
    """Return depth of one camera as another one, without its lens, would measure it.

    Of what lies behind each other the nearest is kept. What the depth camera does not see has no
    depth.

    Args:
        depth_mm: along the axis, shape (height, width), 0 where nothing was measured.
        depth_camera: that measured it.
        camera: of the picture; with no more pixels than the depth has, or gaps remain.
        camera_T_depth: between their optical frames.
    """
    x, y = _seen_by(depth_camera)
    z = depth_mm.astype(np.float64) / 1000.0
    measured = (z > 0.0) & np.isfinite(x)
    points = camera_T_depth.apply(np.stack([x * z, y * z, z], axis=2)[measured])
    points = points[points[:, 2] > 0.0]
    u = points[:, 0] / points[:, 2] * camera.fx + camera.cx
    v = points[:, 1] / points[:, 2] * camera.fy + camera.cy
    millimetres = np.rint(points[:, 2] * 1000.0)
    nearest = np.full((camera.height_px, camera.width_px), np.inf)
    # A pixel covers those about its middle: else there were gaps through which one sees.
    for columns in (np.floor(u + _ROUNDED_PX), np.ceil(u - _ROUNDED_PX)):
        for rows in (np.floor(v + _ROUNDED_PX), np.ceil(v - _ROUNDED_PX)):
            inside = ((rows >= 0) & (rows < camera.height_px)
                      & (columns >= 0) & (columns < camera.width_px))
            np.minimum.at(nearest, (rows[inside].astype(np.int64),
                                    columns[inside].astype(np.int64)), millimetres[inside])
    nearest[nearest > np.iinfo(np.uint16).max] = 0.0
    return nearest.astype(np.uint16)


@lru_cache(maxsize=4)
def _seen_by(camera: Intrinsics) -> tuple[_Array, _Array]:
    """Return the direction that each pixel shows, each of shape (height, width)."""
    x, y = _directions(camera)
    return (x, y) if camera.distortion is None else undistorted(x, y, camera.distortion)


def _directions(camera: Intrinsics) -> tuple[_Array, _Array]:
    x = (np.arange(camera.width_px) - camera.cx) / camera.fx
    y = (np.arange(camera.height_px) - camera.cy) / camera.fy
    across, down = np.meshgrid(x, y)
    return across, down
