"""Intrinsics of a picture as it is published, from its camera_info (REP 104)."""

import math

from sensor_msgs.msg import CameraInfo

from semantic_nav.contracts.camera import Distortion, Intrinsics, Size, is_same_view
from semantic_nav.verify.grounding.lens import FISHEYE_COUNT, POLYNOMIAL_COUNTS, polynomial_name

#: Names that tools and drivers have for the distortion models of sensor_msgs, in lower case and
#: without blanks, as in Kalibr and the SDKs of RealSense and Orbbec.
_POLYNOMIAL = {'plumb_bob', 'rational_polynomial', 'thin_prism', 'brown_conrady', 'radtan'}
_FISHEYE = {'equidistant', 'fisheye', 'equi', 'kannala_brandt', 'kannala_brandt4'}
#: fx, fy, cx, cy of a matrix that was never filled in: zeros, or the identity.
_UNFILLED = ((0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0))


def published_size(camera: CameraInfo) -> Size:
    """Width and height of the picture that camera_info belongs to, in pixels.

    Width and height in camera_info are those of the whole sensor; a window of it may be published,
    with binned pixels.

    Raises:
        ValueError: camera_info has no size, or the window exceeds the sensor.
    """
    _, _, width, height = _window_of(camera)
    return (max(1, width // max(1, camera.binning_x)), max(1, height // max(1, camera.binning_y)))


def intrinsics_of(camera: CameraInfo, shape: tuple[int, ...], *,
                  rectified: bool = False) -> Intrinsics:
    """Intrinsics of a picture, or of depth registered to it.

    K and P hold for the whole sensor: they are cut to its window and scaled to the picture, both
    axes alike.

    Args:
        camera: camera_info of the picture.
        shape: height and width of the picture, in pixels.
        rectified: the lens is undone, and the pixels follow P; those of a raw picture follow K and
            D (sensor_msgs/CameraInfo). If one of K and P was never filled in, the other may serve.

    Raises:
        ValueError: camera_info is of another picture, its axis lies outside the sensor, or the
            distortion model is unknown.
    """
    height, width = shape
    left, top, window_width, window_height = _window_of(camera)
    published = published_size(camera)
    cut = (window_width, window_height) != (camera.width, camera.height)
    # No driver enlarges a window.
    if not is_same_view((width, height), published) or (cut and width > published[0] + 1):
        raise ValueError(f'the picture has {width} x {height} pixels, and camera_info is for '
                         f'{published[0]} x {published[1]}, which is another view')
    distortion = None if rectified else distortion_of(camera)
    fx, fy, cx, cy = _focal_and_axis(camera, rectified=rectified)
    if (fx, fy, cx, cy) in _UNFILLED:
        raise ValueError(f'the camera is not calibrated: {"P" if rectified else "K"} of '
                         'camera_info was never filled in; calibrate the camera, or let its '
                         'driver publish what it knows')
    beside = _beside(cx, cy, camera)
    if len(beside) == 2 or not (0.0 <= cx <= camera.width and 0.0 <= cy <= camera.height):
        raise ValueError(f'the camera is not calibrated: {_axis_words(cx, cy, camera)}')
    return Intrinsics(window_width, window_height, fx, fy, cx - left, cy - top,
                      distortion).resized(width, height)


def doubt_of_axis(camera: CameraInfo, *, rectified: bool = False) -> str:
    """Doubt about the optical axis of a camera, in words; empty if there is none."""
    _, _, cx, cy = _focal_and_axis(camera, rectified=rectified)
    return _axis_words(cx, cy, camera) if _beside(cx, cy, camera) else ''


def distortion_of(camera: CameraInfo) -> Distortion | None:
    """Distortion of the lens; None if it has none.

    A polynomial has as many coefficients as are not zero, whatever its name: drivers pad with
    zeros.

    Raises:
        ValueError: the distortion model is unknown.
    """
    told = tuple(map(float, camera.d))
    if not any(told):
        return None
    name = '_'.join(camera.distortion_model.casefold().replace('_', ' ').replace(
        '-', ' ').split())
    counts: tuple[int, ...] = ()
    if name in _FISHEYE:
        counts = (FISHEYE_COUNT,)
    elif name in _POLYNOMIAL or (not name and len(told) > FISHEYE_COUNT):
        # No other model of sensor_msgs has five coefficients or more.
        counts = POLYNOMIAL_COUNTS
    used = max(index for index, value in enumerate(told, 1) if value)
    count = next((one for one in counts if one >= used), 0)
    if not count or len(told) < counts[0] or not all(map(math.isfinite, told)):
        raise ValueError(
            f'the distortion {camera.distortion_model!r} with {len(told)} coefficients is not '
            'known: plumb_bob and rational_polynomial have '
            f'{", ".join(map(str, POLYNOMIAL_COUNTS))}, equidistant has {FISHEYE_COUNT}. Let '
            'camera_info name one of them, or use rectified pictures and set image_is_rectified')
    coefficients = (*told, *[0.0] * count)[:count]
    return Distortion('equidistant' if name in _FISHEYE else polynomial_name(count), coefficients)


def _window_of(camera: CameraInfo) -> tuple[int, int, int, int]:
    """Left, top, width and height of the published window, in pixels of the sensor.

    Raises:
        ValueError: camera_info has no size, or the window exceeds the sensor.
    """
    roi = camera.roi
    if not (camera.width and camera.height):
        raise ValueError('the camera is not calibrated: camera_info has no size')
    left, top = roi.x_offset, roi.y_offset
    width, height = roi.width or camera.width - left, roi.height or camera.height - top
    if not (0 < width <= camera.width - left and 0 < height <= camera.height - top):
        raise ValueError(
            f'the region of interest of camera_info, {roi.width} x {roi.height} pixels from '
            f'({left}, {top}) on, reaches beyond its {camera.width} x {camera.height}: width, '
            'height and K must be those of the whole sensor (REP 104)')
    return left, top, width, height


def _focal_and_axis(camera: CameraInfo, *, rectified: bool) -> tuple[float, float, float, float]:
    """fx, fy, cx and cy in pixels of the whole sensor."""
    k = tuple(map(float, (camera.k[0], camera.k[4], camera.k[2], camera.k[5])))
    p = tuple(map(float, (camera.p[0], camera.p[5], camera.p[2], camera.p[6])))
    first, second = (p, k) if rectified else (k, p)
    # Without a lens K and P are equal.
    bent = not rectified and any(camera.d)
    fx, fy, cx, cy = second if first in _UNFILLED and not bent else first
    return fx, fy, cx, cy


def _beside(cx: float, cy: float, camera: CameraInfo) -> list[str]:
    """Axes along which the principal point is not in the middle third of the sensor."""
    return [name for name, centre, pixels in (
        ('x', cx, camera.width), ('y', cy, camera.height))
        if not pixels / 3 <= centre <= pixels * 2 / 3]


def _axis_words(cx: float, cy: float, camera: CameraInfo) -> str:
    return (f'its axis is at ({cx:g}, {cy:g}) of {camera.width} x {camera.height} pixels, not in '
            f'the middle third, as of a picture of {max(0.0, 2 * cx):.0f} x '
            f'{max(0.0, 2 * cy):.0f}: let the driver, or the simulator, fill in the intrinsics of '
            'this size')
