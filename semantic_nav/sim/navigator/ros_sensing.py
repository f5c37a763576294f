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
        global_frame, odom_frame, base_frame: Frames of the world, of the odometry and of the
            robot.
        late_s: A pose that is older is too late to drive by [s].

    Attributes:
        scan_seen: Whether any scan came.
    """

    def __init__(self, node: Node, global_frame: str, odom_frame: str, base_frame: str,
                 late_s: float) -> None:
        self.scan_seen = False
        self._late_s = late_s
        self._odometry: bytes | None = None
        self._clock = node.get_clock()
        self._global_frame, self._odom_frame = global_frame, odom_frame
        self._base_frame = base_frame
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

    def mark(self, costmap: Costmap, local: Costmap) -> None:
        """Take the newest scan whose transforms are known into both costmaps, each only once."""
        for raw in reversed(self._scans):
            scan = deserialize_message(raw, LaserScan)
            stamp, frame = Time.from_msg(scan.header.stamp), scan.header.frame_id
            try:
                poses = [tuple(
                    pose_from_transform(self._buffer.lookup_transform(grid, of, stamp).transform)
                    for of in (frame, self._base_frame))
                    for grid in (self._global_frame, self._odom_frame)]
            except TransformException:
                continue
            ranges = np.asarray(scan.ranges, dtype=np.float64)
            bearings = scan.angle_min + scan.angle_increment * np.arange(len(ranges))
            for one, (sensor, robot) in zip((costmap, local), poses, strict=True):
                one.see(sensor, robot, bearings, ranges, scan.range_min, scan.range_max)
            while self._scans.popleft() is not raw:
                pass
            return

    def _on_odom(self, message: bytes) -> None:
        self._odometry = message

    def _on_scan(self, message: bytes) -> None:
        self.scan_seen = True
        self._scans.append(message)


def _pose_of(stamped: tuple[Pose, Time] | None) -> Pose | None:
    return None if stamped is None else stamped[0]


def _composed(parent: Pose, child: Pose) -> Pose:
    """A pose given in a frame whose pose is known."""
    cos, sin = math.cos(parent.yaw), math.sin(parent.yaw)
    return Pose(parent.x + cos * child.x - sin * child.y, parent.y + sin * child.x + cos * child.y,
                parent.yaw + child.yaw)
