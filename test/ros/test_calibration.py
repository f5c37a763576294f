"""Intrinsics are those of the picture that is published, whatever part of the sensor it is."""

import math
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import CameraInfo, RegionOfInterest

from semantic_nav.nodes.ros.calibration import (
    distortion_of,
    doubt_of_axis,
    intrinsics_of,
    published_size,
)
from semantic_nav.verify.grounding.lens import distorted

#: A point to the right of the axis and below it, by shares of its distance.
RIGHT, DOWN = 0.25, 0.1


def info(**fields: Any) -> CameraInfo:
    return CameraInfo(**{'width': 640, 'height': 480,
                         'k': [500.0, 0.0, 330.0, 0.0, 500.0, 236.0, 0.0, 0.0, 1.0], **fields})


def roi(left: int, top: int, width: int, height: int) -> RegionOfInterest:
    return RegionOfInterest(x_offset=left, y_offset=top, width=width, height=height)


@pytest.mark.parametrize(('fields', 'shape', 'window', 'scale'), [
    ({}, (480, 640), (0, 0), (1, 1)),
    ({}, (240, 320), (0, 0), (2, 2)),
    ({}, (960, 1280), (0, 0), (0.5, 0.5)),
    ({}, (159, 213), (0, 0), (640 / 213, 480 / 159)),
    ({'binning_x': 1, 'binning_y': 1}, (480, 640), (0, 0), (1, 1)),
    ({'binning_x': 2, 'binning_y': 2}, (240, 320), (0, 0), (2, 2)),
    ({'binning_x': 2, 'binning_y': 2}, (120, 160), (0, 0), (4, 4)),
    ({'binning_x': 2, 'binning_y': 2}, (480, 640), (0, 0), (1, 1)),
    ({'binning_x': 1, 'binning_y': 2}, (240, 640), (0, 0), (1, 2)),
    ({'roi': roi(0, 0, 640, 480)}, (480, 640), (0, 0), (1, 1)),
    ({'roi': roi(240, 120, 320, 240)}, (240, 320), (240, 120), (1, 1)),
    ({'roi': roi(320, 0, 320, 480)}, (480, 320), (320, 0), (1, 1)),
    ({'roi': roi(400, 0, 240, 480)}, (480, 240), (400, 0), (1, 1)),
    ({'roi': roi(240, 120, 0, 0)}, (360, 400), (240, 120), (1, 1)),
    ({'roi': roi(240, 120, 320, 240), 'binning_x': 2, 'binning_y': 2}, (120, 160), (240, 120),
     (2, 2)),
    ({'roi': roi(240, 120, 320, 240), 'binning_x': 2, 'binning_y': 2}, (60, 80), (240, 120),
     (4, 4))])
def test_pixel_that_shows_a_point_leads_back_to_it(
        fields: dict[str, Any], shape: tuple[int, int], window: tuple[int, int],
        scale: tuple[float, float]) -> None:
    u, v = 500.0 * RIGHT + 330.0, 500.0 * DOWN + 236.0
    # The upper left pixel begins half of one before its middle.
    u, v = ((one + 0.5 - first) / by - 0.5
            for one, first, by in zip((u, v), window, scale, strict=True))
    camera = intrinsics_of(info(**fields), shape)
    assert (camera.height_px, camera.width_px) == shape
    np.testing.assert_allclose(((u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy),
                               (RIGHT, DOWN), atol=1e-9)


@pytest.mark.parametrize(('fields', 'size'), [
    ({}, (640, 480)), ({'binning_x': 2, 'binning_y': 2}, (320, 240)),
    ({'roi': roi(20, 40, 100, 50)}, (100, 50)), ({'roi': roi(20, 40, 0, 0)}, (620, 440)),
    ({'roi': roi(20, 40, 100, 50), 'binning_x': 3, 'binning_y': 3}, (33, 16))])
def test_published_size_is_that_of_the_window_in_its_pixels(
        fields: dict[str, Any], size: tuple[int, int]) -> None:
    assert published_size(info(**fields)) == size


@pytest.mark.parametrize(('fields', 'shape'), [
    ({}, (480, 848)), ({}, (640, 480)), ({}, (250, 250)), ({}, (400, 640)),
    ({'width': 1280, 'height': 720, 'k': [900.0, 0, 640, 0, 900, 360, 0, 0, 1]}, (480, 640)),
    ({'width': 1280, 'height': 720, 'k': [900.0, 0, 640, 0, 900, 360, 0, 0, 1]}, (480, 848)),
    ({'roi': roi(240, 120, 320, 240)}, (480, 640)),
    ({'roi': roi(320, 0, 320, 480)}, (480, 640)),
    # A window told in the pixels of the picture, not in those of the sensor.
    ({'roi': roi(0, 0, 320, 240), 'binning_x': 2, 'binning_y': 2}, (240, 320))])
def test_picture_of_another_view_is_refused_with_both_sizes(
        fields: dict[str, Any], shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match='another view') as caught:
        intrinsics_of(info(**fields), shape)
    width, height = published_size(info(**fields))
    assert f'{shape[1]} x {shape[0]}' in str(caught.value)
    assert f'{width} x {height}' in str(caught.value)


@pytest.mark.parametrize('window', [roi(240, 120, 640, 480), roi(640, 0, 0, 0),
                                    roi(0, 500, 0, 0), roi(0, 0, 0, 481)])
def test_window_beyond_the_sensor_is_refused(window: RegionOfInterest) -> None:
    with pytest.raises(ValueError, match='REP 104'):
        intrinsics_of(info(roi=window), (480, 640))


@pytest.mark.parametrize(('fx', 'cx', 'cy', 'width', 'height'), [
    # Gazebo's own for 320 x 240, where nobody filled them in.
    (277.0, 160.0, 120.0, 640, 480), (277.0, 160.0, 120.0, 1280, 720),
    # Of a larger picture than the one that comes.
    (900.0, 640.0, 360.0, 848, 480), (500.0, -1.0, 240.0, 640, 480),
    (500.0, 320.0, 481.0, 640, 480), (500.0, math.nan, 240.0, 640, 480)])
def test_intrinsics_of_another_size_than_said_are_refused(
        fx: float, cx: float, cy: float, width: int, height: int) -> None:
    camera = info(width=width, height=height, k=[fx, 0, cx, 0, fx, cy, 0, 0, 1])
    with pytest.raises(ValueError, match='not calibrated') as caught:
        intrinsics_of(camera, (height, width))
    assert f'{width} x {height}' in str(caught.value)


def test_axis_beyond_the_middle_third_is_doubted() -> None:
    for cx, cy, doubted in ((330.0, 240.0, False), (214.0, 240.0, False), (212.0, 240.0, True),
                            (428.0, 240.0, True), (320.0, 130.0, True)):
        camera = info(k=[500.0, 0, cx, 0, 500, cy, 0, 0, 1])
        words = doubt_of_axis(camera)
        assert bool(words) == doubted and (not doubted or f'({cx:g}, {cy:g})' in words)
        assert intrinsics_of(camera, (480, 640)).cx == cx
    # The axis may well lie at the edge of a window, or beyond.
    camera = info(roi=roi(400, 0, 240, 480))
    assert not doubt_of_axis(camera) and intrinsics_of(camera, (480, 240)).cx == -70.0


def test_axis_is_that_of_the_intrinsics_where_p_was_never_filled_in() -> None:
    """Of a rectified picture the lens bends nothing any more (depthai-ros issue 58)."""
    camera = info(d=[0.1] * 5, distortion_model='plumb_bob')
    assert not doubt_of_axis(camera, rectified=True)
    assert intrinsics_of(camera, (480, 640), rectified=True).cx == 330.0


P = [400.0, 0, 321, -20, 0, 401, 241, 0, 0, 0, 1, 0]
EMPTY, NO_CAMERA = [0.0] * 9, [1.0, 0, 0, 0, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(('fields', 'rectified', 'fx'), [
    ({'p': P}, False, 500.0), ({'p': P}, True, 400.0), ({}, True, 500.0),
    ({'p': [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]}, True, 500.0),
    ({'p': P, 'k': EMPTY}, True, 400.0), ({'p': P, 'k': EMPTY}, False, 400.0),
    ({'p': P, 'k': NO_CAMERA}, False, 400.0),
    # P says nothing of where a lens shows what.
    ({'p': P, 'k': EMPTY, 'd': [0.1] * 5, 'distortion_model': 'plumb_bob'}, False, None),
    ({'k': EMPTY}, False, None), ({'k': NO_CAMERA}, True, None)])
def test_matrix_that_nobody_filled_in_is_none(fields: dict[str, Any], rectified: bool,
                                              fx: float | None) -> None:
    if fx is None:
        with pytest.raises(ValueError, match='never filled in'):
            intrinsics_of(info(**fields), (480, 640), rectified=rectified)
    else:
        assert intrinsics_of(info(**fields), (480, 640), rectified=rectified).fx == fx


D = [-0.05, 0.08, -0.0002, -0.0001, -0.02]


@pytest.mark.parametrize(('model', 'told'), [
    ('plumb_bob', D), ('plumb_bob', [*D, 0.0]), ('plumb_bob', [*D, 0.0, 0.0, 0.0]),
    ('plumb_bob', [*D, *[0.0] * 9]), ('rational_polynomial', D),
    ('rational_polynomial', [*D, 0.0, 0.0, 0.0]), ('rational_polynomial', [*D, *[0.0] * 9]),
    ('Plumb_Bob', D), (' plumb bob ', D), ('plumb-bob', D), ('Brown Conrady', D), ('', D),
    ('', [*D, 0.0, 0.0, 0.0])])
def test_polynomial_is_the_same_under_each_name_and_with_zeros_behind_it(
        model: str, told: list[float]) -> None:
    lens = distortion_of(info(distortion_model=model, d=told))
    assert lens is not None and (lens.model, lens.coefficients) == ('plumb_bob', tuple(D))


@pytest.mark.parametrize(('model', 'told', 'count'), [
    ('plumb_bob', [0.1, 0, 0, 0, 0], 4), ('radtan', [0.1, 0, 0, 0.1], 4),
    ('plumb_bob', [*D, 0.1, 0, 0], 8), ('plumb_bob', [*D, 0, 0, 0.1], 8),
    ('rational_polynomial', [*D, 0.1], 8), ('thin_prism', [*D, *[0.01] * 7], 12),
    ('rational_polynomial', [*D, *[0.01] * 9], 14)])
def test_polynomial_has_as_many_coefficients_as_count(model: str, told: list[float],
                                                      count: int) -> None:
    lens = distortion_of(info(distortion_model=model, d=told))
    assert lens is not None and len(lens.coefficients) == count
    assert lens.coefficients[:len(told)] == tuple(told)[:count]
    assert all(np.isfinite(one).all() for one in distorted(np.array([0.1]), np.array([0.1]), lens))


@pytest.mark.parametrize(('model', 'told'), [
    ('fisheye', D[:4]), ('equidistant', [*D[:4], 0.0]), ('Kannala-Brandt4', [*D[:4], 0, 0, 0, 0])])
def test_fisheye_has_four_coefficients(model: str, told: list[float]) -> None:
    lens = distortion_of(info(distortion_model=model, d=told))
    assert lens is not None and (lens.model, len(lens.coefficients)) == ('equidistant', 4)


@pytest.mark.parametrize(('model', 'told'), [
    ('none', D), ('pinhole', D), ('Inverse Brown Conrady', D), ('modified_brown_conrady', D),
    ('fisheyePolynomial', [*D, 0.1]), ('', D[:4]), ('plumb_bob', D[:3]), ('equidistant', D),
    ('rational_polynomial', [*D, *[0.01] * 10]), ('plumb_bob', [math.nan] * 5),
    ('plumb_bob', [math.inf, 0, 0, 0, 0])])
def test_lens_that_is_not_known_is_refused_with_what_would_be_right(
        model: str, told: list[float]) -> None:
    with pytest.raises(ValueError, match='plumb_bob and rational_polynomial have 4, 5') as caught:
        distortion_of(info(distortion_model=model, d=told))
    assert repr(model) in str(caught.value) and f'{len(told)} coeff' in str(caught.value)
    # Behind it stands where it was found; a reason has 300 characters.
    assert len(str(caught.value)) < 270


def test_no_coefficients_are_no_lens_under_whatever_name() -> None:
    for model, told in (('none', [0.0] * 5), ('', []), ('fisheyePolynomial', [0.0] * 6)):
        assert distortion_of(info(distortion_model=model, d=told)) is None
