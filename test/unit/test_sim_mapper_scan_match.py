"""Where a scan was taken, by the walls that are known."""

import math

import numpy as np
import pytest

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.mapper.scan_match import Obstacles

#: Inner sides of the walls of a room around the origin [m]; no corner is like another.
EAST, WEST, NORTH, SOUTH = 2.0, -3.0, 1.5, -2.5
RESOLUTION_M = 0.05
HERE = Pose2D(0.3, -0.2, 0.4)


def scan_from(pose: Pose2D) -> np.ndarray:
    """Return where the rays of a scan end, shape (n, 2), frame of the scanner."""
    bearings = np.linspace(-math.pi, math.pi, 360, endpoint=False)
    cos, sin = np.cos(bearings + pose.yaw), np.sin(bearings + pose.yaw)
    with np.errstate(divide='ignore'):
        ranges = np.minimum(np.where(cos > 0, (EAST - pose.x) / cos, (WEST - pose.x) / cos),
                            np.where(sin > 0, (NORTH - pose.y) / sin, (SOUTH - pose.y) / sin))
    return np.column_stack([np.cos(bearings), np.sin(bearings)]) * ranges[:, None]


def room(known_to_x: float = 10.0) -> Obstacles:
    """Return the obstacles of a map of the room as far as some x."""
    x, y = np.meshgrid(*[np.arange(-4.0, 4.0, RESOLUTION_M) + RESOLUTION_M / 2] * 2)
    inside = (x > WEST) & (x < EAST) & (y > SOUTH) & (y < NORTH)
    thick = ((x > WEST - RESOLUTION_M) & (x < EAST + RESOLUTION_M)
             & (y > SOUTH - RESOLUTION_M) & (y < NORTH + RESOLUTION_M))
    known = x < known_to_x
    return Obstacles(thick & ~inside & known, inside & known, (-4.0, -4.0), RESOLUTION_M)


@pytest.mark.parametrize(('x', 'y', 'yaw'), [
    (0.0, 0.0, 0.0), (0.06, -0.05, 0.03), (-0.08, 0.04, -0.05), (0.0, 0.0, 0.06)])
def test_a_pose_that_is_a_little_off_is_mended(x: float, y: float, yaw: float) -> None:
    match = room().match(scan_from(HERE), Pose2D(HERE.x + x, HERE.y + y, HERE.yaw + yaw))
    assert match.fits
    assert match.pose.distance_to(HERE.x, HERE.y) < 0.03
    assert abs(match.pose.yaw - HERE.yaw) < 0.01


@pytest.mark.parametrize('told', [
    Pose2D(HERE.x + 0.8, HERE.y, HERE.yaw), Pose2D(HERE.x, HERE.y - 0.6, HERE.yaw + 0.3),
    Pose2D(HERE.x, HERE.y, HERE.yaw + 0.4)])
def test_a_scan_from_elsewhere_does_not_fit(told: Pose2D) -> None:
    assert not room().match(scan_from(HERE), told).fits


def test_where_little_is_known_the_pose_is_believed() -> None:
    nothing = Obstacles(np.zeros((0, 0), bool), np.zeros((0, 0), bool), (0.0, 0.0), RESOLUTION_M)
    assert nothing.match(scan_from(HERE), HERE) == (match := room(-3.5).match(
        scan_from(HERE), HERE))
    assert match.pose == HERE and match.fits


def test_one_wall_says_nothing_of_the_place_along_it() -> None:
    told = Pose2D(HERE.x + 0.05, HERE.y + 0.05, HERE.yaw)
    match = room(known_to_x=-2.9).match(scan_from(HERE), told)
    assert abs(match.pose.x - HERE.x) < 0.03
    assert abs(match.pose.y - told.y) < 0.03


def test_a_visitor_changes_little() -> None:
    ends = scan_from(HERE)
    ends[100:140] *= 0.4
    match = room().match(ends, Pose2D(HERE.x + 0.05, HERE.y, HERE.yaw))
    assert match.fits and match.pose.distance_to(HERE.x, HERE.y) < 0.03
