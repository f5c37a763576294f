"""What the navigator knows of the robot: pose by TF, speed by odometry, scans (needs ROS)."""

from __future__ import annotations

import math
from collections import deque

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

from semantic_nav.sim.navigator.costmap import Costmap
from semantic_nav.sim.navigator.geometry import Pose
from semantic_nav.sim.navigator.ros_messages import (
    pose_from_msg,
    pose_from_transform,
    seconds,
)

# Without a pose no goal is accepted; too late ones end the goals in hand long before.
_POSE_MAX_AGE_S = 4.0
_TF_KEPT_S = 5.0


class Sensing:
    """Listens for a node.

    Topics: subscribes /tf and /tf_static, `odom` (nav_msgs/Odometry) and `scan`
    (sensor_msgs/LaserScan).

    Args:
        node: Owns the subscriptions.
        global_frame, base_frame: Frames of the world and of the robot.
        late_s: A pose that is older is too late to drive by [s].

    Attributes:
        scan_seen: Whether any scan came.
    """

    def __init__(self, node: Node, global_frame: str, base_frame: str, late_s: float) -> None:
        self.scan_seen = False
        self._late_s = late_s
        self._odometry: bytes | None = None
        self._clock = node.get_clock()
        self._global_frame, self._base_frame = global_frame, base_frame
        # With the node, by whose clock it forgets what lies in the future after a jump back.
        self._buffer = Buffer(Duration(seconds=_TF_KEPT_S), node)
        self._listener = TransformListener(self._buffer, node)
        # Two, because the newest one may wait for the transform of its stamp. Both topics are kept
        # as they came: most messages are never looked at.
        self._scans: deque[bytes] = deque(maxlen=2)
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
        found = self._newest()
        if found is None or self._age_s(found) > _POSE_MAX_AGE_S:
            return None
        return pose_from_transform(found.transform)

    def stamped(self) -> tuple[Pose, Time] | None:
        """The same with the stamp of the transform that tells it."""
        found, pose = self._newest(), self.pose()
        return None if found is None or pose is None else (
            pose_from_transform(found.transform), Time.from_msg(found.header.stamp))

    def late(self) -> bool:
        """Tell whether the pose is known, but too old to drive by."""
        found = self._newest()
        return found is not None and self._late_s < self._age_s(found) <= _POSE_MAX_AGE_S

    def _newest(self) -> TransformStamped | None:
        try:
            return self._buffer.lookup_transform(self._global_frame, self._base_frame, Time())
        except TransformException:
            return None

    def _age_s(self, transform: TransformStamped) -> float:
        return self._clock.now().nanoseconds * 1e-9 - seconds(transform.header.stamp)

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

    def mark(self, costmap: Costmap) -> None:
        """Take the newest scan whose transform is known into a costmap, each at most once."""
        for raw in reversed(self._scans):
            scan = deserialize_message(raw, LaserScan)
            stamp, frame = Time.from_msg(scan.header.stamp), scan.header.frame_id
            try:
                sensor = self._buffer.lookup_transform(self._global_frame, frame, stamp)
                robot = self._buffer.lookup_transform(self._global_frame, self._base_frame, stamp)
            except TransformException:
                continue
            count = len(scan.ranges)
            bearings = scan.angle_min + scan.angle_increment * np.arange(count)
            costmap.see(
                pose_from_transform(sensor.transform), pose_from_transform(robot.transform),
                bearings, np.asarray(scan.ranges, dtype=np.float64), scan.range_min,
                scan.range_max)
            while self._scans.popleft() is not raw:
                pass
            return

    def _on_odom(self, message: bytes) -> None:
        self._odometry = message

    def _on_scan(self, message: bytes) -> None:
        self.scan_seen = True
        self._scans.append(message)


def _composed(parent: Pose, child: Pose) -> Pose:
    """A pose given in a frame whose pose is known."""
    cos, sin = math.cos(parent.yaw), math.sin(parent.yaw)
    return Pose(parent.x + cos * child.x - sin * child.y, parent.y + sin * child.x + cos * child.y,
                parent.yaw + child.yaw)
