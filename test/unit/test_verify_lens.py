"""Depth and boxes of lenses and of depth cameras beside the camera."""

import numpy as np
import pytest
from builders import Block, Room, base_T_CAMERA, box_of, project
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from semantic_nav.contracts.camera import Distortion, Intrinsics
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.grounding import ground_box
from semantic_nav.verify.grounding.lens import (
    FISHEYE_COUNT,
    POLYNOMIAL_COUNTS,
    box_without_lens,
    distorted,
    polynomial_name,
    registered,
    undistorted,
    without_lens,
)

POINTS = np.array([[0.0, 0.0], [0.3, -0.2], [-0.5, 0.4], [0.1, 0.45]])
#: What OpenCV 5.0 makes of these points (projectPoints of calib3d and of fisheye).
LENSES = {
    Distortion('plumb_bob', (-0.28, 0.07, 0.001, -0.0005, 0.01)): [
        [0.0, 0.0], [0.289166491, -0.192690994], [-0.449683105, 0.359992484],
        [0.094349439, 0.425263103]],
    Distortion('rational_polynomial', (0.5, -2.6, 0.0006, -0.0004, 1.5, 0.38, -2.4, 1.4)): [
        [0.0, 0.0], [0.303491965, -0.202284643], [-0.5138408, 0.41118744],
        [0.101728921, 0.458290143]],
    Distortion('equidistant', (-0.02, 0.004, -0.003, 0.0006)): [
        [0.0, 0.0], [0.287253938, -0.191502626], [-0.441991399, 0.353593119],
        [0.093363664, 0.420136487]],
    Distortion('rational_polynomial', (0.5, -2.6, 0.0006, -0.0004, 1.5, 0.38, -2.4, 1.4,
                                       0.002, -0.001, 0.003, 0.0005, 0.02, -0.01)): [
        # By the formula of its documentation, with thin prism and tilt.
        [0.0, 0.0], [0.303446744, -0.201664115], [-0.514819791, 0.413771507],
        [0.103166327, 0.46379387]]}
BARREL, _, FISHEYE, _ = LENSES
CAMERA = Intrinsics(320, 240, 240.0, 240.0, 159.5, 119.5)
MUG = Block((4.0, 4.1), (3.3, 3.5), (1.1, 1.3))
MAP_T_CAMERA = Transform.from_pose(Pose2D(2.5, 3.0, 0.0)) @ base_T_CAMERA


def through(lens: Distortion) -> Intrinsics:
    return Intrinsics(320, 240, 240.0, 240.0, 159.5, 119.5, lens)


def seen_through(lens: Distortion, depth_mm: np.ndarray) -> np.ndarray:
    """Return a picture of the pinhole camera as a lens shows it."""
    columns, rows = np.meshgrid(np.arange(320.0), np.arange(240.0))
    x, y = undistorted((columns - 159.5) / 240.0, (rows - 119.5) / 240.0, lens)
    u, v = np.rint(x * 240.0 + 159.5), np.rint(y * 240.0 + 119.5)
    inside = (u >= 0) & (v >= 0) & (u < 320) & (v < 240)
    picture = np.zeros_like(depth_mm)
    picture[inside] = depth_mm[v[inside].astype(int), u[inside].astype(int)]
    return picture


@pytest.mark.parametrize(('lens', 'expected'), LENSES.items())
def test_lens_shows_points_where_opencv_has_them(lens: Distortion, expected: list) -> None:
    np.testing.assert_allclose(np.stack(distorted(*POINTS.T, lens), axis=1), expected, atol=1e-8)


@settings(max_examples=examples(100))
@given(st.sampled_from(list(LENSES)), st.floats(-0.6, 0.6), st.floats(-0.5, 0.5))
def test_what_a_lens_does_is_undone(lens: Distortion, x: float, y: float) -> None:
    there = distorted(np.array([x]), np.array([y]), lens)
    back = undistorted(*there, lens)
    np.testing.assert_allclose(np.ravel(back), (x, y), atol=1e-4)


@settings(max_examples=examples(100))
@given(st.sampled_from([('equidistant', FISHEYE_COUNT), *(
    (polynomial_name(count), count) for count in POLYNOMIAL_COUNTS)]), st.data())
def test_lens_that_nobody_made_shows_nothing_or_what_it_says(
        model: tuple[str, int], data: st.DataObject) -> None:
    name, count = model
    wild = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-10.0, 10.0)
    lens = Distortion(name, tuple(data.draw(st.lists(wild, min_size=count, max_size=count))))
    camera = Intrinsics(80, 60, 60.0, 60.0, 39.5, 29.5, lens)
    try:
        assert np.isfinite(box_without_lens((100.0, 100.0, 900.0, 700.0), camera)).all()
    except GroundingError:
        pass
    depth = without_lens(np.full((60, 80), 2000, np.uint16), camera)
    assert set(np.unique(depth)) <= {0, 2000}


def test_what_lies_beyond_the_edge_of_a_lens_is_nowhere() -> None:
    x, _ = undistorted(np.array([2.5]), np.array([0.0]), FISHEYE)
    assert np.isnan(x).all()
    far = (0.0, 0.0, 30.0, 30.0)
    with pytest.raises(GroundingError):
        box_without_lens(far, Intrinsics(320, 240, 60.0, 60.0, 159.5, 119.5, FISHEYE))


@pytest.mark.parametrize('lens', LENSES)
def test_thing_seen_through_a_lens_is_grounded_where_it_is(lens: Distortion) -> None:
    camera = through(lens)
    plain = Room().depth(MAP_T_CAMERA, CAMERA, [MUG])
    shown = seen_through(lens, plain)
    corners = np.array([((u - 159.5) / 240.0, (v - 119.5) / 240.0) for u, v in (
        project(MAP_T_CAMERA, CAMERA, (x, y, z))
        for x in MUG.x for y in MUG.y for z in MUG.z)])
    us, vs = distorted(*corners.T, lens)
    us, vs = (us * 240.0 + 160.0) / 0.32, (vs * 240.0 + 120.0) / 0.24
    box = box_without_lens((us.min(), vs.min(), us.max(), vs.max()), camera)
    np.testing.assert_allclose(box, box_of(MAP_T_CAMERA, CAMERA, MUG), atol=8.0)
    depth = without_lens(shown, camera)
    assert (np.abs(depth.astype(int) - plain) < 100)[depth > 0].mean() > 0.97
    found = ground_box(box, depth, camera, MAP_T_CAMERA, VerifierConfig())
    np.testing.assert_allclose(found.position, (4.0, 3.4, 1.2), atol=0.05)


def test_without_a_lens_nothing_changes() -> None:
    depth = Room().depth(MAP_T_CAMERA, CAMERA)
    assert without_lens(depth, CAMERA) is depth
    assert box_without_lens((1.0, 2.0, 3.0, 4.0), CAMERA) == (1.0, 2.0, 3.0, 4.0)


#: A depth camera 6 cm to the left of the camera and 2 cm above, which looks 0.1 rad to the right.
CAMERA_T_DEPTH = Transform((-0.06, -0.02, 0.01), (0.0, np.sin(0.05), 0.0, np.cos(0.05)))


@pytest.mark.parametrize('lens', [None, BARREL])
def test_depth_from_beside_the_camera_is_as_the_camera_would_measure_it(
        lens: Distortion | None) -> None:
    wide = Intrinsics(320, 240, 240.0, 240.0, 159.5, 119.5)
    depth = Room().depth(MAP_T_CAMERA @ CAMERA_T_DEPTH, wide, [MUG])
    depth_camera = wide if lens is None else through(lens)
    if lens is not None:
        depth = seen_through(lens, depth)
    own = Room().depth(MAP_T_CAMERA, CAMERA, [MUG])
    moved = registered(depth, depth_camera, CAMERA, CAMERA_T_DEPTH)
    assert moved.shape == own.shape and moved.dtype == np.uint16
    both = (moved > 0) & (own > 0)
    assert both.mean() > 0.85 * (own > 0).mean()
    # A pixel of floor seen at a grazing angle spans 0.1 m.
    assert (np.abs(moved.astype(int) - own)[both] < 120).mean() > 0.98
    box = box_of(MAP_T_CAMERA, CAMERA, MUG)
    found = ground_box(box, moved, CAMERA, MAP_T_CAMERA, VerifierConfig())
    np.testing.assert_allclose(found.position, (4.0, 3.4, 1.2), atol=0.04)
    # Taken as it came, the box shows much else.
    wrong = ground_box(box, depth, CAMERA, MAP_T_CAMERA, VerifierConfig())
    assert wrong.unclear or np.linalg.norm(np.subtract(wrong.position, (4.0, 3.4, 1.2))) > 0.1


def test_what_the_depth_camera_does_not_see_has_no_depth() -> None:
    depth = np.full((240, 320), 2000, np.uint16)
    away = Transform((0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
    assert not registered(depth, CAMERA, CAMERA, away).any()
    assert not registered(np.zeros_like(depth), CAMERA, CAMERA, CAMERA_T_DEPTH).any()
