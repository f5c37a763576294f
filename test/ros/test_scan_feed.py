"""What of a scan is compared with the map."""

import math

import numpy as np
import pytest

from semantic_nav.contracts.geometry import Transform
from semantic_nav.nodes.ros.scan_feed import taken_of
from semantic_nav.verify.events import Scan


def scan(odom_T_scanner: Transform, rays: int = 360, metres: float = 3.0) -> Scan:
    return Scan(np.full(rays, metres, np.float32), -math.pi, math.tau / rays, odom_T_scanner, 12.0)


def turned(x: float, y: float, z: float, angle_rad: float) -> Transform:
    """Return a scanner at (1, 2, 0.3), turned about an axis."""
    sin = math.sin(angle_rad / 2)
    return Transform((1.0, 2.0, 0.3), (x * sin, y * sin, z * sin, math.cos(angle_rad / 2)))


@pytest.mark.parametrize('rays', [36, 90, 360, 1440, 5000])
def test_some_rays_all_round_are_enough(rays: int) -> None:
    taken = taken_of(scan(turned(0, 0, 1, 1.0), rays))
    assert taken.at == (1.0, 2.0)
    assert min(rays, 90) <= len(taken.ends) < 180
    x, y = np.array(taken.ends).T
    assert np.allclose(np.hypot(x - 1.0, y - 2.0), 3.0, atol=0.01)


def test_rays_that_met_nothing_or_failed_are_left_out() -> None:
    one = scan(turned(0, 0, 1, 0.0))
    one.ranges_m[:120], one.ranges_m[120:240] = np.inf, np.nan
    assert len(taken_of(one).ends) == 30


def test_scanner_upside_down_scans_the_other_way_round() -> None:
    one = scan(turned(1, 0, 0, math.pi))
    one.ranges_m[:] = np.nan
    one.ranges_m[270 // 4 * 4] = 3.0  # nearly to its left, which is the robot's right
    ((_, y),) = taken_of(one).ends
    assert y < 0.0


def test_rays_of_a_tilted_scanner_that_leave_its_plane_are_left_out() -> None:
    taken = taken_of(scan(turned(0, 1, 0, 0.2)))
    x, y = np.array(taken.ends).T
    assert 0 < len(x) < 30
    assert np.all(np.abs(x - 1.0) < 0.6)
