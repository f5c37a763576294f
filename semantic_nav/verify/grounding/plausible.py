"""Plausibility checks of measurements.

Finite numbers are not enough. A transform of 1e300 m, a map with an origin far away or a focal
length near 0 would spoil every formula behind it. A measurement that fails counts as missing, with
the reason.
"""

import math

import numpy as np

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.clock import NS_PER_S, seconds
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.footprint import fault_of_corners
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.verify.events import (
    CameraMounted,
    CostmapMissing,
    CostmapReceived,
    FootprintAwaited,
    FootprintHeard,
    KeepoutMissing,
    KeepoutReceived,
    LookFrozen,
    LookNotFrozen,
    MapMissing,
    MapReceived,
    PoseMissing,
    PoseResolved,
    Scan,
    ScanTaken,
)
from semantic_nav.verify.grounding.mount import fault_of_axis, fault_of_place
from semantic_nav.verify.grounding.unmeasured import measured

#: Largest believed coordinate in the frames of a robot, in m.
FAR_M = 20_000.0
#: Tolerance of the length of a quaternion, as in tf2.
_QUATERNION = 0.01
#: Smallest and largest edge of a map cell, in m.
_RESOLUTION_M = (0.005, 5.0)
#: A building of 250 by 250 metres, in cells of 5 cm.
_MOST_CELLS = 25_000_000
_MOST_PIXELS = 20_000
_MOST_RAYS = 100_000
#: Most turns of a scanner in one scan, and least share of rays that measure.
_MOST_TURN, _LEAST_TOLD = 1.1, 0.05
#: Limits of the focal length, in widths or heights of the picture: fields of view of 170 degrees
#: to half a degree. No pinhole camera on a robot is beyond.
_FOCAL_SHARE = (0.04, 100.0)
#: Largest offset from its axis that a camera shows, in focal lengths: 85 degrees. The axis of a
#: cropped picture may lie outside it.
_ASIDE = 12.0
#: End of the range of a ROS stamp, in s.
_LAST_STAMP_S = 2**31


def plausible(event: Event, nearest_m: float = 0.0) -> Event:
    """The event, or one that reports an implausible measurement as missing.

    In depth, single pixels are set to 0 if they are implausible or nearer than is believed.

    Args:
        event: any event.
        nearest_m: distance below which depth is not believed.
    """
    match event:
        case PoseResolved():
            fault = (_fault_of_stamp(event.stamp_ns)
                     or _fault_of_transform('the robot in the map', event.map_T_base)
                     or _fault_of_transform('the odometry in the map', event.map_T_odom))
            return PoseMissing(fault) if fault else event
        case MapReceived(grid):
            fault = _fault_of_grid(grid)
            return MapMissing(fault) if fault else event
        case CostmapReceived(grid):
            fault = _fault_of_grid(grid)
            return CostmapMissing(fault) if fault else event
        case KeepoutReceived(grid):
            fault = _fault_of_grid(grid)
            return KeepoutMissing(fault) if fault else event
        case FootprintHeard(corners):
            return FootprintAwaited() if fault_of_corners(corners) else event
        case ScanTaken(at, ends):
            near = all(abs(value) <= FAR_M for point in (at, *ends) for value in point)
            return event if near else ScanTaken((0.0, 0.0), ())
        case LookFrozen():
            fault = _fault_of_look(event)
            return LookNotFrozen(event.look_id, fault) if fault else (
                measured(event, nearest_m))
    return event


def _fault_of_stamp(stamp_ns: int) -> str:
    if 0 <= stamp_ns < _LAST_STAMP_S * NS_PER_S:
        return ''
    return f'its stamp of {seconds(stamp_ns):.0f} s is none that ROS knows'


def _fault_of_transform(what: str, transform: Transform) -> str:
    if not all(abs(value) <= FAR_M for value in transform.translation):
        return (f'TF has {what} at {_words_of(transform.translation)} m, and {FAR_M:g} m is the '
                'most that is believed')
    length = math.hypot(*transform.rotation)
    if not abs(length - 1.0) <= _QUATERNION:
        return f'TF turns {what} by a quaternion of the length {length:g}, not 1'
    return ''


def _fault_of_grid(grid: OccupancyGrid) -> str:
    least_m, most_m = _RESOLUTION_M
    if not least_m <= grid.resolution_m <= most_m:
        return (f'its cells are of {grid.resolution_m:g} m, and not of {least_m:g} to '
                f'{most_m:g} m')
    if grid.cells.ndim != 2 or not 0 < grid.cells.size <= _MOST_CELLS:
        return (f'it has the shape {grid.cells.shape}, and not of one cell to {_MOST_CELLS} '
                'cells')
    origin = (grid.origin_x_m, grid.origin_y_m)
    if not all(abs(value) <= FAR_M for value in origin):
        return (f'its origin is at {_words_of(origin)} m, and {FAR_M:g} m is the most that is '
                'believed')
    return _fault_of_stamp(grid.stamp_ns)


def _fault_of_look(look: LookFrozen) -> str:
    camera, depth = look.intrinsics, look.depth_mm
    fault = (_fault_of_transform('the camera in the odometry', look.odom_T_camera)
             or _fault_of_transform('the robot in the odometry', look.odom_T_base)
             or _fault_of_intrinsics(camera))
    if fault:
        return fault
    if look.scan is not None:
        return _fault_of_scan(look.scan)
    if depth.shape != (camera.height_px, camera.width_px):
        return (f'the depth picture has the shape {depth.shape}, and its calibration is for '
                f'{camera.width_px} x {camera.height_px} pixels')
    return ''


def fault_of_mount(mounted: CameraMounted, reach_m: float) -> str:
    """Fault of the mount or calibration of a camera, for people; empty for none.

    Args:
        mounted: the camera.
        reach_m: largest distance of the footprint from base_link; 0 if unknown.
    """
    return (_fault_of_transform('the camera on the robot', mounted.base_T_camera)
            or _fault_of_intrinsics(mounted.intrinsics)
            or fault_of_axis(mounted.base_T_camera)
            or fault_of_place(mounted.base_T_camera, reach_m))


def _fault_of_scan(scan: Scan) -> str:
    fault = _fault_of_transform('the scanner in the odometry', scan.odom_T_scanner)
    if fault:
        return fault
    rays = scan.ranges_m.size
    if scan.ranges_m.ndim != 1 or not 0 < rays <= _MOST_RAYS:
        return f'the scan has the shape {scan.ranges_m.shape}'
    if not (abs(scan.angle_min_rad) <= math.tau
            and 0.0 < abs(scan.step_rad) * rays <= _MOST_TURN * math.tau):
        return (f'the scan has {rays} rays from {scan.angle_min_rad:g} rad on in steps of '
                f'{scan.step_rad:g} rad: its driver counts in degrees, or counts other rays')
    if not 0.0 <= scan.reach_m < math.inf:
        return f'the scanner is said to measure {scan.reach_m:g} m far'
    told = rays - int(np.isnan(scan.ranges_m).sum())
    if told < _LEAST_TOLD * rays:
        return (f'the laser scanner measures nothing: {told} of {rays} rays do; see its power, '
                'its motor, whether it is covered, and range_min and range_max of its driver')
    return ''


def _fault_of_intrinsics(camera: Intrinsics) -> str:
    least, most = _FOCAL_SHARE
    for name, focal_px, centre_px, pixels in (
            ('x', camera.fx, camera.cx, camera.width_px),
            ('y', camera.fy, camera.cy, camera.height_px)):
        if not 0 < pixels <= _MOST_PIXELS:
            return f'the camera is not calibrated: a picture of {pixels} pixels along {name}'
        if not least * pixels <= focal_px <= most * pixels:
            return (f'the camera is not calibrated: f{name} = {focal_px:g} px for a picture of '
                    f'{pixels} pixels along {name}')
        if not pixels - _ASIDE * focal_px <= centre_px <= _ASIDE * focal_px:
            return (f'the camera is not calibrated: its axis is at c{name} = {centre_px:g} px of '
                    f'{pixels}')
    return ''


def _words_of(values: tuple[float, ...]) -> str:
    return f'({", ".join(f"{value:.3g}" for value in values)})'
