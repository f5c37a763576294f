"""Laser scans as scanners publish them."""

import math
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import LaserScan

from semantic_nav.contracts.geometry import Transform
from semantic_nav.nodes.ros.scans import (
    blind_of,
    fault_of_angles,
    fault_of_unit,
    judge_scan,
    scan_of,
)

STEP = math.tau / 360


def scan(ranges: Any = 2.0, **fields: float) -> LaserScan:
    values = {'angle_min': -math.pi, 'angle_max': math.pi - STEP, 'angle_increment': STEP,
              'range_min': 0.05, 'range_max': 12.0, **fields}
    return LaserScan(ranges=np.broadcast_to(ranges, 360).astype(np.float32).tolist(), **values)


@pytest.mark.parametrize(('told', 'fields', 'taken'), [
    (2.0, {}, 2.0), (math.nan, {}, math.nan), (math.inf, {}, math.inf),
    # Too near (REP 117), and out of the range that the scanner has.
    (-math.inf, {}, math.nan), (0.04, {}, math.nan), (13.0, {}, math.nan),
    # No echo as Hokuyo, sick_scan_xd (issue 382) and those that cut at their range write it.
    (65.533, {}, math.nan), (0.0, {'range_min': 0.0}, math.nan), (12.0, {}, math.inf),
    (2.0, {'range_max': 0.0}, math.nan), (2.0, {'range_max': math.inf}, 2.0)])
def test_range_counts_where_it_is_one(told: float, fields: dict[str, float],
                                      taken: float) -> None:
    ranges = scan_of(scan(told, **fields), Transform.identity()).ranges_m
    np.testing.assert_equal(np.unique(ranges), [np.float32(taken)])


@pytest.mark.parametrize('fields', [
    {}, {'angle_max': 0.0}, {'angle_max': math.pi},
    {'angle_min': math.pi, 'angle_max': -math.pi, 'angle_increment': -STEP},
    {'angle_min': 0.0, 'angle_max': math.tau}])
def test_angles_that_can_be(fields: dict[str, float]) -> None:
    assert fault_of_angles(scan(**fields)) == ''


@pytest.mark.parametrize(('fields', 'words'), [
    ({'angle_increment': 0.0}, 'did not fill in'), ({'angle_min': math.nan}, 'did not fill in'),
    ({'angle_min': -180.0, 'angle_max': 180.0, 'angle_increment': 1.0}, 'degrees'),
    ({'angle_increment': 1.0}, 'degrees'), ({'angle_max': 180.0}, 'degrees'),
    ({'angle_increment': -STEP}, 'the sign'), ({'angle_increment': STEP / 2}, 'rays are missing'),
    ({'angle_min': math.pi, 'angle_max': -math.pi}, 'the sign')])
def test_angles_that_cannot_be_are_named(fields: dict[str, float], words: str) -> None:
    assert words in fault_of_angles(scan(**fields))
    assert words in judge_scan(scan(**fields)).fault


def test_scan_without_rays_is_named() -> None:
    message = scan()
    message.ranges = []
    assert 'no rays' in fault_of_angles(message)


@pytest.mark.parametrize(('told', 'fields', 'words', 'within_m'), [
    # turtlebot4 issue 150
    (math.inf, {}, 'none of 360 rays met anything within 12 m', 12.0),
    (math.nan, {}, 'none of 360 rays measured anything from 0.05 to 12 m', 0.0),
    (0.0, {'range_min': 0.0}, 'none of 360 rays measured', 0.0),
    (65.533, {}, 'none of 360 rays measured', 0.0),
    (2.0, {'range_max': 0.0}, 'did not fill in range_max', 0.0),
    (math.inf, {'range_max': 0.0}, 'did not fill in range_max', 0.0),
    (0.0, {'range_max': 0.0}, 'to 0 m: its driver did not fill in the message: see its log', 0.0),
    (0.0, {'range_max': math.nan}, 'to nan m: its driver did not fill in the message', 0.0)])
def test_scan_that_measured_nothing_is_named(told: float, fields: dict[str, float], words: str,
                                             within_m: float) -> None:
    blind = blind_of(scan(told, **fields))
    assert blind is not None and words in blind.reason and blind.within_m == within_m
    assert judge_scan(scan(told, **fields)).blind == blind


def test_scan_with_some_rays_that_met_something_measured() -> None:
    assert blind_of(scan([*[2.0] * 8, *[math.inf] * 352])) is None


def test_scan_with_nearly_no_rays_that_met_something_is_named() -> None:
    blind = blind_of(scan([*[2.0] * 7, *[math.inf] * 353]))
    assert blind is not None and 'only 7 of 360 rays met anything' in blind.reason


MILLIMETRES = [*[0.0] * 100, *np.linspace(400.0, 9000.0, 260)]


@pytest.mark.parametrize(('told', 'fields'), [
    (2000.0, {}), (2000.0, {'range_min': 100.0, 'range_max': 12000.0}), (MILLIMETRES, {}),
    ([*[500.0] * 180, *[math.inf] * 180], {'range_min': 50.0, 'range_max': 12000.0}),
    # What is nearer than the farthest that is believed would be taken for metres.
    (700.0, {'range_max': math.inf})])
def test_scan_in_millimetres_is_named_and_shows_nothing(told: Any,
                                                        fields: dict[str, float]) -> None:
    judged = judge_scan(scan(told, **fields))
    assert 'counts in millimetres' in judged.fault
    assert judged.blind is not None and judged.blind.within_m == 0.0


@pytest.mark.parametrize('told', [
    90.0, math.inf, math.nan, 0.0, 65.533, 65535.0, float(np.finfo(np.float32).max),
    [*[2.0] * 200, *[999.0] * 160]])
def test_scan_in_metres_has_its_unit(told: Any) -> None:
    assert fault_of_unit(scan(told, range_max=100.0)) == ''
