"""Measurements of the simulated robot as ROS messages."""

import math
from array import array

import numpy as np
from geometry_msgs.msg import Quaternion, TransformStamped
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, Image, LaserScan
from std_msgs.msg import Header

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav_sim.robot.body import Snapshot
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.robot.lidar_model import LidarModel

# Diagonals of the odometry's covariances; z, roll and pitch are not measured.
POSE_VARIANCE = (0.01, 0.01, 1e6, 1e6, 1e6, 0.02)
TWIST_VARIANCE = (0.001, 1e-6, 1e6, 1e6, 1e6, 0.002)


def header(stamp_ns: int, frame_id: str) -> Header:
    """A header."""
    return Header(stamp=Time(nanoseconds=stamp_ns).to_msg(), frame_id=frame_id)


def transform(stamp_ns: int, parent: str, child: str, value: Transform | Pose2D,
              ) -> TransformStamped:
    """The transform parent_T_child as a message."""
    if isinstance(value, Pose2D):
        value = Transform.from_pose(value)
    message = TransformStamped(header=header(stamp_ns, parent), child_frame_id=child)
    at, turn = message.transform.translation, message.transform.rotation
    at.x, at.y, at.z = value.translation
    turn.x, turn.y, turn.z, turn.w = value.rotation
    return message


def odometry(snapshot: Snapshot, parent: str, child: str) -> Odometry:
    """The measured pose and velocities."""
    message = Odometry(header=header(snapshot.stamp_ns, parent), child_frame_id=child)
    pose = message.pose.pose
    pose.position.x, pose.position.y = snapshot.odom.x, snapshot.odom.y
    half = snapshot.odom.yaw / 2
    pose.orientation = Quaternion(z=math.sin(half), w=math.cos(half))
    message.twist.twist.linear.x = snapshot.speed_m_s
    message.twist.twist.linear.y = snapshot.sideways_m_s
    message.twist.twist.angular.z = snapshot.turn_rad_s
    message.pose.covariance = np.diag(POSE_VARIANCE).ravel()
    message.twist.covariance = np.diag(TWIST_VARIANCE).ravel()
    return message


def laser_scan(stamp_ns: int, frame_id: str, ranges: NDArray[np.float32],
               lidar: LidarModel) -> LaserScan:
    """A scan; infinite ranges had no return (REP 117)."""
    return LaserScan(
        header=header(stamp_ns, frame_id), angle_min=lidar.angle_min_rad,
        angle_max=lidar.angle_min_rad + (lidar.rays - 1) * lidar.step_rad,
        angle_increment=lidar.step_rad, range_min=lidar.range_min_m,
        range_max=lidar.range_max_m, ranges=array('f', ranges.tobytes()))


def image(stamp_ns: int, frame_id: str,
          picture: NDArray[np.uint8] | NDArray[np.uint16]) -> Image:
    """A picture: rgb8 of shape (height, width, 3), or 16UC1 of shape (height, width)."""
    height, width = picture.shape[:2]
    # Only an array of bytes is taken without a copy.
    return Image(header=header(stamp_ns, frame_id), height=height, width=width,
                 encoding='rgb8' if picture.ndim == 3 else '16UC1', is_bigendian=0,
                 step=picture.strides[0], data=array('B', picture.tobytes()))


def camera_info(stamp_ns: int, frame_id: str, camera: CameraModel) -> CameraInfo:
    """The intrinsics, without distortion."""
    (cx, cy), f = camera.centre_px, camera.focal_px
    return CameraInfo(
        header=header(stamp_ns, frame_id), height=camera.height, width=camera.width,
        distortion_model='plumb_bob', d=[0.0] * 5, k=[f, 0.0, cx, 0.0, f, cy, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[f, 0.0, cx, 0.0, 0.0, f, cy, 0.0, 0.0, 0.0, 1.0, 0.0])
