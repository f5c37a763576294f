"""How uncertain a grounded place is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from semantic_nav.contracts.documents import Covariance
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import UncertaintyHeard
from semantic_nav.verify.grounding.covariance import (
    fused,
    of_grounding,
    turned,
    variance_m2,
    with_pose,
)

#: Of a camera that is where TF says.
EXACT = VerifierConfig(camera_error_m=0.0, camera_error_rad=0.0)
FLAT: Covariance = (0.01, 0.0, 0.0, 0.0, 0.0004, 0.0, 0.0, 0.0, 0.0004)


def matrix(covariance: Covariance) -> np.ndarray:
    return np.array(covariance).reshape(3, 3)


def board(x: float, width_m: float = 0.2) -> np.ndarray:
    """Return the points of a board across the x axis, shape (n, 3)."""
    y, z = np.mgrid[-width_m / 2:width_m / 2:11j, -width_m / 2:width_m / 2:11j]
    return np.stack([np.full(y.shape, x), y, z], axis=2).reshape(-1, 3)


def of_board(x: float, width_m: float = 0.2, shown: float | None = 1.0) -> Covariance:
    return of_grounding(board(x, width_m), shown, np.array([x, 0.0, 0.0]), 450.0, EXACT)


def test_it_grows_with_distance_with_extent_and_with_what_is_hidden() -> None:
    least = variance_m2(of_board(1.0))
    assert least < 0.03**2
    assert variance_m2(of_board(3.0)) > least
    assert variance_m2(of_board(1.0, width_m=1.0)) > 10 * least
    assert variance_m2(of_board(1.0, shown=0.5)) > 3 * least


@pytest.mark.parametrize('distance_m', [1.0, 1.5, 3.0])
def test_camera_that_is_off_puts_places_as_far_off_as_is_stated(distance_m: float) -> None:
    """A mug seen by a camera that is turned and shifted otherwise than TF says, many times."""
    config, rng = VerifierConfig(), np.random.default_rng(1)
    mug = board(distance_m, 0.1)
    squares = []
    for _ in range(2000):
        off = config.camera_error_rad * distance_m * rng.normal(size=3) + (
            config.camera_error_m * rng.normal(size=3))
        stated = of_grounding(mug + off, 1.0, mug.mean(axis=0) + off, 450.0, config)
        squares.append(off @ np.linalg.solve(matrix(stated), off))
    assert 2.0 < np.mean(squares) < 3.2
    assert variance_m2(of_board(distance_m)) < 0.2 * variance_m2(stated)


def test_what_may_be_anywhere_in_its_box_is_as_uncertain_as_that_is_wide() -> None:
    assert math.sqrt(variance_m2(of_board(1.0, 1.0, None))) == pytest.approx(
        math.sqrt(1.3 * variance_m2(tuple(np.cov(board(1.0, 1.0).T, bias=True).ravel()))),
        rel=0.01)


@settings(max_examples=examples(100))
@given(st.floats(-3, 3), st.floats(0.3, 8.0), st.floats(0.0, 2.0),
       st.one_of(st.none(), st.floats(0.0, 1.0)), st.integers(1, 20))
def test_it_is_one_for_any_points(yaw: float, distance_m: float, spread_m: float,
                                  shown: float | None, count: int) -> None:
    """Symmetric to the bit, and no direction is free of doubt."""
    ray = np.array([math.cos(yaw) * distance_m, math.sin(yaw) * distance_m, -0.3])
    points = ray + spread_m * np.random.default_rng(count).normal(size=(count, 3))
    covariance = of_grounding(points, shown, ray, 450.0, EXACT)
    assert (matrix(covariance) == matrix(covariance).T).all()
    assert np.linalg.eigvalsh(matrix(covariance)).min() > 1e-7


def test_an_uncertain_pose_makes_a_far_place_uncertain_across() -> None:
    pose = UncertaintyHeard(0.1, 0.2)
    with_it = matrix(with_pose(FLAT, (2.0, 0.0, 0.5), pose)) - matrix(FLAT)
    np.testing.assert_allclose(with_it, np.diag([0.01, 0.01 + 0.16, 0.0]), atol=1e-12)
    assert with_pose(FLAT, (2.0, 0.0, 0.5), UncertaintyHeard(0.0, 0.0)) == FLAT
    assert max(with_pose(FLAT, (8.0, 0.0, 0.5), UncertaintyHeard(1e9, 1e9))) <= 100_000


def test_two_sightings_across_each_other_are_surer_each_way() -> None:
    quarter = Transform.from_pose(Pose2D(1.0, 2.0, math.pi / 2))
    across = turned(FLAT, quarter)
    np.testing.assert_allclose(across, (4e-4, 0, 0, 0, 0.01, 0, 0, 0, 4e-4), atol=1e-12)
    place, covariance = fused((1.0, 0.0, 0.0), FLAT, (1.1, 0.1, 0.0), across)
    np.testing.assert_allclose(place, (1.1, 0.0, 0.0), atol=0.01)
    expected = np.linalg.inv(np.linalg.inv(matrix(FLAT)) + np.linalg.inv(matrix(across)))
    np.testing.assert_allclose(matrix(covariance), expected, atol=1e-12)


def test_order_of_sightings_does_not_matter() -> None:
    one, other = ((1.0, 0.0, 0.0), FLAT), ((1.1, 0.1, 0.2), of_board(2.0))
    for there, back in zip(fused(*one, *other), fused(*other, *one), strict=True):
        np.testing.assert_allclose(there, back, atol=1e-12)
