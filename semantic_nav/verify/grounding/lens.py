"""Lens distortion by OpenCV's models, and its removal from depth and boxes."""

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Distortion, Intrinsics
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.hypothesis import Box

#: Numbers of coefficients of OpenCV's polynomials and of its fisheye. Each polynomial extends the
#: one before: a rational one by three, a thin prism by four, a tilted sensor by two.
POLYNOMIAL_COUNTS, FISHEYE_COUNT = (4, 5, 8, 12, 14), 4
#: Identity for the camera matrix, so that coordinates are in focal lengths, and for the rotation.
_NO_CAMERA = np.eye(3)
#: OpenCV 4, as on a robot, has a separate function that takes a number of iterations.
_undistort: Any = getattr(cv2, 'undistortPointsIter', cv2.undistortPoints)
#: Most iterations of the undistortion, and the accuracy at which it stops.
_ROUNDS = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 40, 1e-9)
#: Largest reprojection error of an undistorted point, in focal lengths.
_FOUND = 1e-5
#: Distance to the middle of a pixel within which a point is exactly there.
_ROUNDED_PX = 1e-6
#: Number of points along each edge of a box that are undistorted.
_EDGE_POINTS = 9
_Array = NDArray[np.float64]


def polynomial_name(count: int) -> str:
    """Name in sensor_msgs of the polynomial model with so many coefficients."""
    return 'plumb_bob' if count <= POLYNOMIAL_COUNTS[1] else 'rational_polynomial'


def distorted(x: _Array, y: _Array, distortion: Distortion) -> tuple[_Array, _Array]:
    """Distorted coordinates of directions.

    Args:
        x, y: offsets of a direction to the right and down per metre ahead.
        distortion: of the lens.

    Returns:
        Offsets to the right and down from the middle, in focal lengths.
    """
    points, coefficients = _pairs(x, y), np.array(distortion.coefficients)
    if distortion.model == 'equidistant':
        seen = cv2.fisheye.distortPoints(points, _NO_CAMERA, coefficients)
    else:
        seen, _ = cv2.projectPoints(cv2.convertPointsToHomogeneous(points), np.zeros(3),
                                    np.zeros(3), _NO_CAMERA, coefficients)
    return _apart(seen, x.shape)


def undistorted(x: _Array, y: _Array, distortion: Distortion) -> tuple[_Array, _Array]:
    """Directions at distorted coordinates, as for `distorted`; NaN if the lens shows none ahead.

    Args:
        x, y: offsets to the right and down from the middle, in focal lengths.
        distortion: of the lens.
    """
    points, coefficients = _pairs(x, y), np.array(distortion.coefficients)
    if distortion.model == 'equidistant':
        back = cv2.fisheye.undistortPoints(points, _NO_CAMERA, coefficients)
    else:
        back = _undistort(points, _NO_CAMERA, coefficients, R=_NO_CAMERA, P=_NO_CAMERA,
                          criteria=_ROUNDS)
    found_x, found_y = _apart(back, x.shape)
    # OpenCV answers for every point, also for those at which the lens shows nothing.
    there_x, there_y = distorted(found_x, found_y, distortion)
    with np.errstate(invalid='ignore', over='ignore'):
        seen = np.hypot(there_x - x, there_y - y) < _FOUND
    return np.where(seen, found_x, np.nan), np.where(seen, found_y, np.nan)


def _pairs(x: _Array, y: _Array) -> _Array:
    """Coordinates in the layout of OpenCV, shape (1, n, 2)."""
    return np.stack([x.ravel(), y.ravel()], axis=1)[None].astype(np.float64)


def _apart(pairs: NDArray[Any], shape: tuple[int, ...]) -> tuple[_Array, _Array]:
    x, y = pairs.reshape(-1, 2).T.astype(np.float64)
    return x.reshape(shape), y.reshape(shape)


def without_lens(depth_mm: NDArray[np.uint16], camera: Intrinsics) -> NDArray[np.uint16]:
    """Undistorted depth, as of a pinhole camera, in the shape of the picture.

    Args:
        depth_mm: along the axis, shape (height, width), 0 for no measurement.
        camera: of that picture.
    """
    if camera.distortion is None:
        return depth_mm
    rows, columns = _shown_at(camera)
    return np.where(rows < 0, np.uint16(0), depth_mm[rows, columns])


@lru_cache(maxsize=4)
def _shown_at(camera: Intrinsics) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of the distorted picture for each undistorted pixel; -1 for none."""
    assert camera.distortion is not None
    x, y = _directions(camera)
    seen_x, seen_y = distorted(x, y, camera.distortion)
    back_x, back_y = undistorted(seen_x, seen_y, camera.distortion)
    with np.errstate(invalid='ignore', over='ignore'):
        columns = np.rint(seen_x * camera.fx + camera.cx)
        rows = np.rint(seen_y * camera.fy + camera.cy)
        # Beyond the edge of the lens the formula may lead back into the picture.
        shown = (np.hypot(back_x - x, back_y - y) < 0.01) & (rows >= 0) & (columns >= 0) & (
            rows < camera.height_px) & (columns < camera.width_px)
    return (np.where(shown, rows, -1).astype(np.int64),
            np.where(shown, columns, -1).astype(np.int64))


def box_without_lens(box: Box, camera: Intrinsics) -> Box:
    """Bounding box in the undistorted picture of a box of the distorted one, in per mille.

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
    """Depth of one camera registered to the undistorted picture of another.

    If several points fall into a pixel, the nearest is kept. Pixels that the depth camera does not
    see have no depth.

    Args:
        depth_mm: along the axis, shape (height, width), 0 for no measurement.
        depth_camera: that measured it.
        camera: of the picture. With more pixels than the depth has, gaps remain.
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
    # A point fills the pixels around it, or there would be gaps to see through.
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
    """Direction of each pixel, x and y each of shape (height, width)."""
    x, y = _directions(camera)
    return (x, y) if camera.distortion is None else undistorted(x, y, camera.distortion)


def _directions(camera: Intrinsics) -> tuple[_Array, _Array]:
    x = (np.arange(camera.width_px) - camera.cx) / camera.fx
    y = (np.arange(camera.height_px) - camera.cy) / camera.fy
    across, down = np.meshgrid(x, y)
    return across, down
