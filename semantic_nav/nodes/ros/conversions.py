"""Messages of ROS as values of the contracts, and back."""

import math
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, Quaternion, TransformStamped
from nav_msgs.msg import OccupancyGrid as GridMessage
from nav_msgs.msg import Path
from numpy.typing import NDArray
from unique_identifier_msgs.msg import UUID

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.nodes.ros.clock import stamp_ns, to_stamp


def transform_of(message: TransformStamped) -> Transform:
    """Return the transform of a message."""
    t, q = message.transform.translation, message.transform.rotation
    return Transform((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))


def uuid_of(goal_id: str) -> UUID:
    """Return the UUID of a goal that is written in hexadecimal."""
    return UUID(uuid=list(bytes.fromhex(goal_id)))


def pose_stamped(pose: Pose2D, frame_id: str, stamp: int) -> PoseStamped:
    """Return a pose as a message; the stamp is in nanoseconds."""
    message = PoseStamped()
    message.header.frame_id = frame_id
    message.header.stamp = to_stamp(stamp)
    message.pose.position.x, message.pose.position.y = pose.x, pose.y
    message.pose.orientation = quaternion_of(pose.yaw)
    return message


def quaternion_of(yaw: float) -> Quaternion:
    """Return a turn about z as a quaternion."""
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def grid_of(message: GridMessage) -> OccupancyGrid:
    """Return the map of a message.

    Raises:
        ValueError: it is turned against its frame, which is not supported, or has too few cells.
    """
    info = message.info
    if not abs(info.origin.orientation.z) <= 1e-3:
        raise ValueError('the map is rotated against its frame, which is not supported')
    if len(message.data) != info.height * info.width or not message.data:
        raise ValueError(f'the map of {info.width} x {info.height} cells comes with '
                         f'{len(message.data)} values')
    cells = np.array(message.data, dtype=np.int8).reshape(info.height, info.width)
    return OccupancyGrid(cells, float(info.resolution), info.origin.position.x,
                         info.origin.position.y, message.header.frame_id,
                         stamp_ns(message.header.stamp))


def same_frame(one: str, other: str) -> bool:
    """Tell whether two names mean one frame; in ROS 1 they began with a slash."""
    return one.removeprefix('/') == other.removeprefix('/')


def path_points(path: Path) -> NDArray[np.float64]:
    """Return the positions of a path, shape (n, 2), in its frame."""
    points: list[Any] = [(pose.pose.position.x, pose.pose.position.y) for pose in path.poses]
    return np.array(points, dtype=np.float64).reshape(-1, 2)
