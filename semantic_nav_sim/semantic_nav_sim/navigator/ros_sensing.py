"""The robot's pose from TF, speed from odometry, and sensors, for the navigator (needs ROS)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from geometry_msgs.msg import PoseStamped, TransformStamped
from nav_msgs.msg import Odometry
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from rclpy.time import Time
from sensor_msgs.msg import LaserScan
from tf2_ros import Buffer, TransformException, TransformListener

from semantic_nav_sim.mapper.ros_inputs import DepthCamera
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.rolling_costmap import RollingCostmap
from semantic_nav_sim.navigator.ros_messages import (
    pose_from_msg,
    pose_from_transform,
    seconds,
)
from semantic_nav_sim.navigator.voxel_layer import DepthPicture

# Without a pose no goal is accepted. Late poses end the current goals long before.
_POSE_MAX_AGE_S = 4.0
_TF_KEPT_S = 5.0
# Period of the depth update, as in Nav2; pictures come more often.
_DEPTH_S = 0.2
# Time to stay subscribed to cameras after driving, since pictures are expensive.
_LINGER_S = 60.0


class _Scan:
    """A scan in serialised form, since most are never read."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    @cached_property
    def message(self) -> LaserScan:
        return deserialize_message(self._raw, LaserScan)


class Sensing:
    """Subscriptions of a node to the robot's pose, speed and sensors.

    Topics: subscribes /tf and /tf_static, `odom` (nav_msgs/Odometry), `scan`
    (sensor_msgs/LaserScan), and while it listens `depth/image_raw` (sensor_msgs/Image) and
    `camera_info` of each camera.

    Args:
        node: Owns the subscriptions.
        global_frame, odom_frame, base_frame: Frames of the world, of the odometry and of the
            robot.
        late_s: Age at which a pose is too old to drive by [s].
        cameras: Names of the cameras with depth; empty for the first one.

    Attributes:
        scan_seen: Whether any scan has come.
    """

    def __init__(self, node: Node, global_frame: str, odom_frame: str, base_frame: str,
                 late_s: float, cameras: Sequence[str] = ()) -> None:
        self.scan_seen = False
        self._late_s = late_s
        self._odometry: bytes | None = None
        self._clock = node.get_clock()
        self._global_frame, self._odom_frame = global_frame, odom_frame
        self._base_frame = base_frame
        # The node's clock lets the buffer drop future transforms after a backwards jump.
        self._buffer = Buffer(Duration(seconds=_TF_KEPT_S), node)
        self._listener = TransformListener(self._buffer, node)
        # Two for each costmap, since the newest one may wait for the transform of its stamp.
        self._global_scans: deque[_Scan] = deque(maxlen=2)
        self._local_scans: deque[_Scan] = deque(maxlen=2)
        self._cameras = [DepthCamera(node, name) for name in cameras]
        self._depth_taken_s = 0.0
        self._drove_s: float | None = None
        node.create_subscription(Odometry, 'odom', self._on_odom, qos_profile_sensor_data,
                                 raw=True)
        node.create_subscription(LaserScan, 'scan', self._on_scan, qos_profile_sensor_data,
                                 raw=True)

    def speed(self) -> float:
        """Speed by the newest odometry [m/s], 0 before the first."""
        if self._odometry is None:
            return 0.0
        twist = deserialize_message(self._odometry, Odometry).twist.twist
        return math.hypot(twist.linear.x, twist.linear.y)

    def pose(self) -> Pose | None:
        """Current pose of the robot in the global frame; None if unknown or too old."""
        return _pose_of(self.stamped(self._global_frame))

    def odom_pose(self) -> Pose | None:
        """Current pose of the robot in the odom frame; None if unknown or too old."""
        return _pose_of(self.stamped(self._odom_frame))

    def stamped(self, frame: str) -> tuple[Pose, Time] | None:
        """Current pose of the robot in a frame, with the stamp of its transform."""
        found = self._newest(frame)
        if found is None or self._age_s(found) > _POSE_MAX_AGE_S:
            return None
        return pose_from_transform(found.transform), Time.from_msg(found.header.stamp)

    def late(self) -> bool:
        """Tell whether the pose is known, but too old to drive by."""
        found = self._newest(self._global_frame)
        return found is not None and self._late_s < self._age_s(found) <= _POSE_MAX_AGE_S

    def _newest(self, frame: str) -> TransformStamped | None:
        try:
            return self._buffer.lookup_transform(frame, self._base_frame, Time())
        except TransformException:
            return None

    def _age_s(self, transform: TransformStamped) -> float:
        return self._now_s() - seconds(transform.header.stamp)

    def _now_s(self) -> float:
        return self._clock.now().nanoseconds * 1e-9

    def in_global_frame(self, stamped: PoseStamped) -> Pose | None:
        """Transform a pose to the global frame, by the newest transform; None if there is none."""
        pose, frame = pose_from_msg(stamped.pose), stamped.header.frame_id
        if frame == self._global_frame:
            return pose
        try:
            found = self._buffer.lookup_transform(self._global_frame, frame, Time())
        except TransformException:
            return None
        return _composed(pose_from_transform(found.transform), pose)

    def listen(self, *, driving: bool) -> None:
        """Subscribe to the cameras while the robot drives, and for a while after."""
        now_s = self._now_s()
        if driving or self._drove_s is None:
            self._drove_s = now_s
        for camera in self._cameras:
            camera.listen(0.0 <= now_s - self._drove_s < _LINGER_S)

    def mark(self, costmap: Costmap | None, local: RollingCostmap) -> None:
        """Update the costmaps with new measurements whose transforms are known, each only once.

        The local one does not need a map.
        """
        if costmap is not None:
            self._mark(costmap, self._global_frame, self._global_scans)
        self._mark(local, self._odom_frame, self._local_scans)
        now_s = self._now_s()
        if abs(now_s - self._depth_taken_s) < _DEPTH_S:
            return
        self._depth_taken_s = now_s
        for camera in self._cameras:
            view = camera.take(self._buffer, self._odom_frame)
            if view is not None:
                local.see_depth(DepthPicture(
                    camera.name, view.depth_mm, view.intrinsics, view.frame_T_camera))

    def _mark(self, costmap: Costmap, grid_frame: str, scans: deque[_Scan]) -> None:
        """Take in the newest scan whose transforms are known."""
        for kept in reversed(scans):
            scan = kept.message
            stamp, frame = Time.from_msg(scan.header.stamp), scan.header.frame_id
            try:
                sensor, robot = (
                    pose_from_transform(
                        self._buffer.lookup_transform(grid_frame, of, stamp).transform)
                    for of in (frame, self._base_frame))
            except TransformException:
                continue
            ranges = np.asarray(scan.ranges, dtype=np.float64)
            bearings = scan.angle_min + scan.angle_increment * np.arange(len(ranges))
            costmap.see(sensor, robot, bearings, ranges, scan.range_min, scan.range_max)
            while scans.popleft() is not kept:
                pass
            return

    def _on_odom(self, message: bytes) -> None:
        self._odometry = message

    def _on_scan(self, message: bytes) -> None:
        self.scan_seen = True
        scan = _Scan(message)
        self._global_scans.append(scan)
        self._local_scans.append(scan)


def _pose_of(stamped: tuple[Pose, Time] | None) -> Pose | None:
    return None if stamped is None else stamped[0]


def _composed(parent: Pose, child: Pose) -> Pose:
    """Compose a parent's pose with a pose in its frame."""
    cos, sin = math.cos(parent.yaw), math.sin(parent.yaw)
    return Pose(parent.x + cos * child.x - sin * child.y, parent.y + sin * child.x + cos * child.y,
                parent.yaw + child.yaw)
