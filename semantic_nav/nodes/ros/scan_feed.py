"""Scans for comparison with the map: thinned, one for each place or each few seconds."""

import math
import time
from collections.abc import Callable

import numpy as np
from rclpy.time import Time
from sensor_msgs.msg import LaserScan
from tf2_ros import Buffer

from semantic_nav.contracts.core import Event
from semantic_nav.nodes.ros.robot_pose import Frames
from semantic_nav.nodes.ros.scans import judge_scan, scan_of
from semantic_nav.nodes.ros.transforms import transform
from semantic_nav.verify.events import Scan, ScanTaken
from semantic_nav.verify.floor.scan_agreement import APART_M

#: Number of rays of a scan that are enough.
_RAYS = 90
#: Period of the feed while the robot stands, in s.
_AGAIN_S = 5.0
#: Largest height of a level ray's end above or below the scanner, in m.
_LEVEL_M = 0.1


class ScanFeed:
    """Feed of the newest scan, once TF has come for it and if it is news."""

    def __init__(self, buffer: Buffer, frames: Frames, feed: Callable[[Event], None]) -> None:
        """Begin with no scan fed.

        Args:
            buffer: TF buffer for lookups.
            frames: frames of the robot.
            feed: takes the events.
        """
        self._buffer, self._frames, self._feed = buffer, frames, feed
        self._newest: LaserScan | None = None
        self._ripe: LaserScan | None = None
        self._fed: ScanTaken | None = None
        self._fed_s = 0.0

    def take(self, message: LaserScan) -> None:
        """Keep a scan."""
        self._newest = message

    def clear(self) -> None:
        """Forget the scans."""
        self._newest = self._ripe = None

    def tell(self) -> None:
        """Feed the scan that was the newest at the last call, if it is news."""
        scan, self._ripe, self._newest = self._ripe, self._newest, None
        if scan is None or judge_scan(scan).fault:
            return
        try:
            odom_T_scanner = transform(self._buffer, self._frames.odom, scan.header.frame_id,
                                       Time.from_msg(scan.header.stamp))
        except LookupError:
            # The next one may have its transform.
            return
        taken, now_s = taken_of(scan_of(scan, odom_T_scanner)), time.monotonic()
        if self._fed is not None and now_s - self._fed_s < _AGAIN_S and (
                math.dist(taken.at, self._fed.at) < APART_M):
            return
        self._fed, self._fed_s = taken, now_s
        self._feed(taken)


def taken_of(scan: Scan) -> ScanTaken:
    """Part of a scan for comparison: some of its level rays that met something."""
    thin = slice(None, None, max(1, scan.ranges_m.size // _RAYS))
    ranges = scan.ranges_m[thin].astype(np.float64)
    angles = (scan.angle_min_rad + scan.step_rad * np.arange(scan.ranges_m.size))[thin]
    met = np.isfinite(ranges)
    ends = scan.odom_T_scanner.apply(ranges[met, None] * np.column_stack(
        [np.cos(angles[met]), np.sin(angles[met]), np.zeros(int(met.sum()))]))
    at = scan.odom_T_scanner.translation
    level = ends[np.abs(ends[:, 2] - at[2]) <= _LEVEL_M]
    return ScanTaken((round(at[0], 2), round(at[1], 2)),
                     tuple((x, y) for x, y in level[:, :2].round(2).tolist()))
