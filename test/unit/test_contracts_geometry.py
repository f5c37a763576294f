"""Angles, poses, rigid transforms and grids."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_nav.contracts.clock import nanoseconds, seconds
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle, wrap_angles
from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.contracts.ids import Ids

METRES = st.floats(-100, 100)
POSES = st.builds(Pose2D, METRES, METRES, st.floats(-math.pi, math.pi))
TURNS = st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(
    lambda q: math.hypot(*q) > 0.1).map(
        lambda q: tuple(part / math.hypot(*q) for part in q))
TRANSFORMS = st.builds(Transform, st.tuples(METRES, METRES, METRES), TURNS)


@given(st.floats(-1e6, 1e6))
def test_wrapped_angle_points_the_same_way_and_lies_in_the_half_open_range(angle: float) -> None:
    wrapped = wrap_angle(angle)
    assert -math.pi < wrapped <= math.pi
    assert math.cos(wrapped - angle) == pytest.approx(1.0)


@given(st.lists(st.one_of(st.floats(-10, 10), st.floats(-1e6, 1e6), st.sampled_from(
    [part * math.pi for part in (-3, -2, -1, 1, 2, 3)] + [
        math.nextafter(part * math.pi, way) for part in (-3, -1, 1, 3) for way in (-9, 9)]))))
def test_angles_are_wrapped_to_the_bit_as_one_is(angles: list[float]) -> None:
    assert wrap_angles(np.array(angles)).tolist() == [wrap_angle(angle) for angle in angles]


@pytest.mark.parametrize(('angle', 'wrapped'), [
    (math.pi, math.pi), (-math.pi, math.pi), (3 * math.pi, math.pi), (0.0, 0.0),
    (2 * math.pi + 0.25, 0.25), (-0.25, -0.25)])
def test_wrapped_angle_at_the_seam(angle: float, wrapped: float) -> None:
    assert wrap_angle(angle) == pytest.approx(wrapped)


def test_bearing_is_positive_to_the_left() -> None:
    robot = Pose2D(1.0, 1.0, math.pi / 2)
    assert robot.bearing_to(0.0, 1.0) == pytest.approx(math.pi / 2)
    assert robot.bearing_to(2.0, 1.0) == pytest.approx(-math.pi / 2)
    assert robot.bearing_to(1.0, 9.0) == pytest.approx(0.0)
    assert robot.distance_to(4.0, 5.0) == pytest.approx(5.0)


@given(TRANSFORMS, TRANSFORMS)
def test_inverse_undoes_and_product_chains(a_T_b: Transform, b_T_c: Transform) -> None:
    points = np.array([[1.0, -2.0, 3.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(a_T_b.inverse().apply(a_T_b.apply(points)), points, atol=1e-9)
    np.testing.assert_allclose((a_T_b @ b_T_c).apply(points), a_T_b.apply(b_T_c.apply(points)),
                               atol=1e-9)


@given(POSES)
def test_pose_of_a_transform_of_a_pose_is_the_pose(pose: Pose2D) -> None:
    back = Transform.from_pose(pose).pose()
    assert back.distance_to(pose.x, pose.y) < 1e-9
    assert abs(wrap_angle(back.yaw - pose.yaw)) < 1e-9


def test_transform_turns_points_as_the_quaternion_says() -> None:
    quarter_left = Transform((10.0, 0.0, 0.0), (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))
    np.testing.assert_allclose(quarter_left.apply(np.array([1.0, 0.0, 5.0])), [10.0, 1.0, 5.0],
                               atol=1e-12)


@given(st.integers(0, 19), st.integers(0, 29), st.sampled_from([0.05, 0.1, 0.33, 1.0]),
       METRES, METRES)
def test_centre_of_a_cell_lies_in_that_cell(row: int, column: int, resolution_m: float,
                                            x: float, y: float) -> None:
    grid = OccupancyGrid(np.zeros((20, 30), np.int8), resolution_m, x, y, 'map', 0)
    assert grid.cell_of(*grid.centre_of(row, column)) == (row, column)
    assert grid.contains(row, column)


def test_values_outside_a_grid_are_unknown_even_to_negative_indices() -> None:
    cells = np.zeros((2, 3), np.int8)
    cells[-1, -1] = 100
    grid = OccupancyGrid(cells, 1.0, 10.0, 20.0, 'map', 0)
    assert grid.value_at(12.5, 21.5) == 100
    for x, y in ((9.9, 20.5), (10.5, 19.9), (13.0, 20.5), (10.5, 22.0)):
        assert grid.value_at(x, y) is None


@given(st.lists(st.tuples(st.floats(-2.0, 5.0), st.floats(-2.0, 5.0)), max_size=20))
def test_values_at_many_points_are_those_at_each(points: list[tuple[float, float]]) -> None:
    cells = np.arange(48, dtype=np.int8).reshape(6, 8)
    grid = OccupancyGrid(cells, 0.3, 0.7, 1.1, 'map', 0)
    x, y = np.array(points).reshape(-1, 2).T
    each = [grid.value_at(*point) for point in points]
    assert grid.values_at(x, y).tolist() == [UNKNOWN if one is None else one for one in each]


@given(st.floats(-1e6, 1e6))
def test_seconds_and_nanoseconds(value: float) -> None:
    assert seconds(nanoseconds(value)) == pytest.approx(value, abs=1e-9)
    assert type(nanoseconds(value)) is int


def test_ids_tell_node_session_and_number() -> None:
    ids = Ids('belief', '20260101T000000-ab12')
    assert [ids.mint(), ids.mint()] == [
        'belief-20260101T000000-ab12-1', 'belief-20260101T000000-ab12-2']
