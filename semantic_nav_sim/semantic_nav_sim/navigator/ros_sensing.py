"""What the navigator knows of the robot: pose by TF, speed by odometry, sensors (needs ROS)."""

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

# Without a pose no goal is accepted; too late ones end the goals in hand long before.
_POSE_MAX_AGE_S = 4.0
_TF_KEPT_S = 5.0
# How often depth is taken in, as in Nav2; pictures come more often.
_DEPTH_S = 0.2
# How long cameras are listened to after the robot drove: pictures are dear.
_LINGER_S = 60.0


class _Scan:
    """A scan, kept as it came: most are never looked at."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    @cached_property
    def message(self) -> LaserScan:
        return deserialize_message(self._raw, LaserScan)


class Sensing:
    """Listens for a node.

    Topics: subscribes /tf and /tf_static, `odom` (nav_msgs/Odometry), `scan`
    (sensor_msgs/LaserScan), and while it listens `depth/image_raw` (sensor_msgs/Image) and
    `camera_info` of each camera.

    Args:
        node: Owns the subscriptions.
        global_frame, odom_frame, base_frame: Frames of the world, of the odometry and of the
            robot.
        late_s: A pose that is older is too late to drive by [s].
        cameras: Names of the cameras with depth; the first one has none.

    Attributes:
        scan_seen: Whether any scan came.
    """

    def __init__(self, node: Node, global_frame: str, odom_frame: str, base_frame: str,
                 late_s: float, cameras: Sequence[str] = ()) -> None:
        self.scan_seen = False
        self._late_s = late_s
        self._odometry: bytes | None = None
        self._clock = node.get_clock()
        self._global_frame, self._odom_frame = global_frame, odom_frame
        self._base_frame = base_frame
        # With the node, by whose clock it forgets what lies in the future after a jump back.
        self._buffer = Buffer(Duration(seconds=_TF_KEPT_S), node)
        self._listener = TransformListener(self._buffer, node)
        # Of each costmap two, because the newest one may wait for the transform of its stamp.
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
        """Pose of the robot in the global frame now; None if it is unknown or too old."""
        return _pose_of(self.stamped(self._global_frame))

    def odom_pose(self) -> Pose | None:
        """The same in the odom frame."""
        return _pose_of(self.stamped(self._odom_frame))

    def stamped(self, frame: str) -> tuple[Pose, Time] | None:
        """The same in a frame, with the stamp of the transform that tells it."""
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
        """A pose in the global frame, by the newest transform; None if there is none."""
        pose, frame = pose_from_msg(stamped.pose), stamped.header.frame_id
        if frame == self._global_frame:
            return pose
        try:
            found = self._buffer.lookup_transform(self._global_frame, frame, Time())
        except TransformException:
            return None
        return _composed(pose_from_transform(found.transform), pose)

    def listen(self, *, driving: bool) -> None:
        """Listen to the cameras while the robot drives, and for a while after."""
        now_s = self._now_s()
        if driving or self._drove_s is None:
            self._drove_s = now_s
        for camera in self._cameras:
            camera.listen(0.0 <= now_s - self._drove_s < _LINGER_S)

    def mark(self, costmap: Costmap | None, local: RollingCostmap) -> None:
        """Take what is new and has its transforms into the costmaps, each thing only once.

        The local one needs no transform of the map, and so no map.
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
    """A pose given in a frame whose pose is known."""
    cos, sin = math.cos(parent.yaw), math.sin(parent.yaw)
    return Pose(parent.x + cos * child.x - sin * child.y, parent.y + sin * child.x + cos * child.y,
                parent.yaw + child.yaw)
