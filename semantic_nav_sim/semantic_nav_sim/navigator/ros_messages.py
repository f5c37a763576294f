"""Conversion between ROS messages and the navigator's own types (needs ROS)."""

from __future__ import annotations

import array
import math

import numpy as np
from builtin_interfaces.msg import Duration as DurationMsg
from builtin_interfaces.msg import Time
from geometry_msgs.msg import (
    Point32,
    Polygon,
    PolygonStamped,
    PoseStamped,
    Quaternion,
    Transform,
    Twist,
)
from geometry_msgs.msg import Pose as PoseMsg
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid as GridMessage
from nav_msgs.msg import Path
from numpy.typing import NDArray
from rclpy.duration import Duration
from rclpy.time import Time as RosTime
from std_msgs.msg import Header

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.navigator.costmap import OCCUPANCY_OF_COST, Costmap, Window
from semantic_nav_sim.navigator.footprint import placed
from semantic_nav_sim.navigator.geometry import Pose, Velocity
from semantic_nav_sim.navigator.planner import Plan

#: Number of outline points of a round base, as in Nav2.
_ROUND = 16


def map_to_msg(occupancy: OccupancyGrid, header: Header) -> GridMessage:
    """The static map."""
    return _grid(occupancy.cells, occupancy.resolution_m, occupancy.origin_x_m,
                 occupancy.origin_y_m, header)


def map_from_msg(message: GridMessage) -> OccupancyGrid:
    """The static map of a message; cells that are neither free nor occupied are unknown."""
    cells = np.array(message.data, dtype=np.int8).reshape(message.info.height, message.info.width)
    trinary = np.full(cells.shape, -1, dtype=np.int8)
    trinary[(cells >= 0) & (cells <= 25)] = 0
    trinary[cells >= 65] = 100
    origin = message.info.origin.position
    return OccupancyGrid(trinary, message.info.resolution, origin.x, origin.y,
                         message.header.frame_id,
                         RosTime.from_msg(message.header.stamp).nanoseconds)


def costmap_to_msg(costmap: Costmap, header: Header) -> GridMessage:
    """The whole costmap."""
    return _grid(OCCUPANCY_OF_COST[costmap.cost], costmap.resolution_m, costmap.origin_x,
                 costmap.origin_y, header)


def update_to_msg(costmap: Costmap, window: Window, header: Header) -> OccupancyGridUpdate:
    """A window of the costmap."""
    return OccupancyGridUpdate(
        header=header, x=window.col0, y=window.row0, width=window.col1 - window.col0,
        height=window.row1 - window.row0,
        data=_data(OCCUPANCY_OF_COST[costmap.cost[window.slices]]))


def footprint_to_msg(costmap: Costmap, pose: Pose, header: Header) -> PolygonStamped:
    """The footprint of the base at a pose; sixteen points for a round one."""
    radius_m = costmap.robot_radius_m
    corners = ([(radius_m * math.cos(angle), radius_m * math.sin(angle))
                for angle in np.arange(_ROUND) * math.tau / _ROUND] if costmap.footprint is None
               else costmap.footprint.corners)
    points = placed(np.array(corners), np.array([(pose.x, pose.y, pose.yaw)]))[0].tolist()
    return PolygonStamped(header=header, polygon=Polygon(
        points=[Point32(x=x, y=y) for x, y in points]))


def path_to_msg(plan: Plan, header: Header) -> Path:
    """A path; as in NavFn, only its last pose has a yaw."""
    path = Path(header=header)
    for x, y in plan.points:
        stamped = PoseStamped(header=header)
        stamped.pose.position.x, stamped.pose.position.y = float(x), float(y)
        path.poses.append(stamped)
    if path.poses:
        path.poses[-1].pose.orientation = quaternion(plan.goal.yaw)
    return path


def pose_to_msg(pose: Pose) -> PoseMsg:
    """A pose."""
    message = PoseMsg(orientation=quaternion(pose.yaw))
    message.position.x, message.position.y = pose.x, pose.y
    return message


def pose_from_msg(message: PoseMsg) -> Pose:
    """A pose in the plane, without height and tilt."""
    return Pose(message.position.x, message.position.y, yaw_of(message.orientation))


def pose_from_transform(transform: Transform) -> Pose:
    """The pose of a transform's child frame in its parent."""
    return Pose(transform.translation.x, transform.translation.y, yaw_of(transform.rotation))


def twist_to_msg(velocity: Velocity) -> Twist:
    """A velocity command."""
    message = Twist()
    message.linear.x, message.angular.z = velocity.linear, velocity.angular
    return message


def quaternion(yaw: float) -> Quaternion:
    """A rotation about z [rad]."""
    return Quaternion(z=math.sin(yaw / 2.0), w=math.cos(yaw / 2.0))


def yaw_of(q: Quaternion) -> float:
    """The yaw of a rotation [rad]; 0 for the null quaternion."""
    return math.atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))


def seconds(stamp: Time) -> float:
    """A time in seconds."""
    return stamp.sec + stamp.nanosec * 1e-9


def duration(time_s: float) -> DurationMsg:
    """A duration, clipped to zero [s]."""
    return Duration(seconds=max(time_s, 0.0)).to_msg()


def _grid(cells: NDArray[np.int8], resolution_m: float, origin_x: float, origin_y: float,
          header: Header) -> GridMessage:
    message = GridMessage(header=header)
    message.info.map_load_time = header.stamp
    message.info.resolution = resolution_m
    message.info.height, message.info.width = cells.shape
    message.info.origin.position.x, message.info.origin.position.y = origin_x, origin_y
    message.data = _data(cells)
    return message


def _data(cells: NDArray[np.int8]) -> array.array[int]:
    # rclpy takes an array without a check; it would check each number of a list.
    return array.array('b', cells.tobytes())
