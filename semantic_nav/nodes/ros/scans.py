"""Laser scans as drivers send them: which rays measured, and which faults the scan has."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import LaserScan

from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.events import Scan

#: Least range, whatever range_min says, in m: many drivers write 0 for a ray without an echo.
_LEAST_M = 0.01
#: Largest range of any robot's scanner, in m; some drivers write infinity.
_FARTHEST_M = 1000.0
#: Share of range_max within which a range is the mark of some drivers for a ray without an echo.
_AT_END = 1e-3
#: Largest angle and largest step in rad; beyond them the angles are in degrees.
_LARGEST_RAD, _LARGEST_STEP_RAD = 2 * math.tau, 0.5
#: Least share of rays that meet something; with fewer the scanner measures nothing.
_LEAST_MET = 0.02
#: Largest median range of a scan in metres, as no room is larger; and least value, in m, that may
#: be the mark of a ray without an echo.
_LARGEST_M, _NO_ECHO_M = 100.0, 65_000.0
#: Largest offset of the last ray from angle_max: in steps, and as a share of the whole.
_STEPS_OFF, _SHARE_OFF = 3.0, 0.05


def scan_of(message: LaserScan, odom_T_scanner: Transform) -> Scan:
    """Scan of a message: NaN where a ray is out of range, infinite where it met nothing."""
    return Scan(_ranges_of(message), message.angle_min, message.angle_increment, odom_T_scanner,
                _reach_m(message))


def _ranges_of(message: LaserScan) -> NDArray[np.float32]:
    ranges, reach_m = np.array(message.ranges, np.float32), _reach_m(message)
    finite = np.isfinite(ranges)
    with np.errstate(invalid='ignore'):
        beyond = finite & (ranges > reach_m * (1.0 + _AT_END))
        at_end = finite & (ranges >= reach_m * (1.0 - _AT_END))
        ranges[at_end] = np.inf
        ranges[beyond | (ranges < max(message.range_min, _LEAST_M))] = np.nan
    return ranges


def _reach_m(message: LaserScan) -> float:
    """Reach of a scanner, in m; 0 if its driver does not tell."""
    told = message.range_max
    return 0.0 if math.isnan(told) else min(max(told, 0.0), _FARTHEST_M)


def fault_of_angles(message: LaserScan) -> str:
    """Fault in the angles of a scan, in words; empty if there is none."""
    rays, step = len(message.ranges), message.angle_increment
    first, last = message.angle_min, message.angle_max
    if not rays:
        return 'the scan has no rays'
    if not all(map(math.isfinite, (first, last, step))) or step == 0.0:
        return (f'the scan goes from {first:g} to {last:g} rad in steps of {step:g}: its driver '
                'did not fill in its angles')
    if max(abs(first), abs(last)) > _LARGEST_RAD or abs(step) > _LARGEST_STEP_RAD:
        return (f'the scan goes from {first:g} to {last:g} in steps of {step:g}: these are '
                'degrees, and sensor_msgs/LaserScan wants radians')
    end = first + step * (rays - 1)
    off = max(_STEPS_OFF * abs(step), _SHARE_OFF * abs(last - first))
    if last != 0.0 and abs(end - last) > off:
        return (f'{rays} rays from {first:.3g} rad on in steps of {step:.3g} rad end at '
                f'{end:.3g} rad, and angle_max is {last:.3g} rad: the sign or the size of '
                'angle_increment is wrong, or rays are missing')
    return ''


def fault_of_unit(message: LaserScan) -> str:
    """Fault of ranges that are not in metres, in words; empty if they may be."""
    ranges = np.asarray(message.ranges, np.float64)
    told = ranges[(ranges >= _LEAST_M) & (ranges < _NO_ECHO_M)]
    if told.size < max(1.0, _LEAST_MET * ranges.size):
        return ''
    median = float(np.median(told))
    return '' if median <= _LARGEST_M else (
        f'half of its ranges are {median:.0f} and more: its driver counts in millimetres or '
        'centimetres, and sensor_msgs/LaserScan wants metres; mend that in its driver')


@dataclass(frozen=True)
class Blind:
    """Blindness of a scanner, which measures nothing, or not in metres.

    Attributes:
        reason: reason in words.
        within_m: range within which nothing was met, in m; 0 if measuring itself failed.
    """

    reason: str
    within_m: float


def blind_of(message: LaserScan) -> Blind | None:
    """Reason why a scan measured nothing, or nearly nothing; None if it did measure."""
    if unit := fault_of_unit(message):
        return Blind(unit, 0.0)
    rays, reach_m, ranges = len(message.ranges), _reach_m(message), _ranges_of(message)
    met = int(np.isfinite(ranges).sum())
    if rays and met >= _LEAST_MET * rays:
        return None
    if not reach_m > message.range_min:
        missing = 'range_max' if np.any(message.ranges) else (
            'the message: see its log, or the filter between')
        return Blind(f'it is said to measure from {message.range_min:g} to {message.range_max:g} '
                     f'm: its driver did not fill in {missing}', 0.0)
    few = f'only {met}' if met else 'none'
    if np.isposinf(ranges).any():
        return Blind(f'{few} of {rays} rays met anything within {reach_m:g} m: see its power, its '
                     'motor, and whether it is covered', reach_m)
    return Blind(f'{few} of {rays} rays measured anything from {message.range_min:g} to '
                 f'{reach_m:g} m: see its power, its motor, and whether it is covered', 0.0)


@dataclass(frozen=True)
class Judged:
    """Judgement of a sensor's message.

    Attributes:
        fault: fault in words; empty if there is none.
        blind: blindness of the sensor, if it measured nothing.
    """

    fault: str = ''
    blind: Blind | None = None


def judge_scan(message: LaserScan) -> Judged:
    """Judgement of a scan, by its ranges and angles."""
    blind = blind_of(message)
    return Judged(fault_of_angles(message) if blind is None else blind.reason, blind)
