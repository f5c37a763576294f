"""Conversions between ROS messages and values of the contracts."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, Quaternion, TransformStamped
from nav_msgs.msg import OccupancyGrid as GridMessage
from nav_msgs.msg import Path
from numpy.typing import NDArray
from unique_identifier_msgs.msg import UUID

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import LETHAL, UNKNOWN, OccupancyGrid
from semantic_nav.nodes.ros.clock import stamp_ns, to_stamp

#: Sine of half the largest turn that the origin of a map may have.
_LEVEL = 1e-3


def transform_of(message: TransformStamped) -> Transform:
    """Transform of a message."""
    t, q = message.transform.translation, message.transform.rotation
    return Transform((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))


def uuid_of(goal_id: str) -> UUID:
    """UUID message of a goal id in hexadecimal."""
    return UUID(uuid=list(bytes.fromhex(goal_id)))


def pose_stamped(pose: Pose2D, frame_id: str, stamp: int) -> PoseStamped:
    """Pose as a message; the stamp is in nanoseconds."""
    message = PoseStamped()
    message.header.frame_id = frame_id
    message.header.stamp = to_stamp(stamp)
    message.pose.position.x, message.pose.position.y = pose.x, pose.y
    message.pose.orientation = quaternion_of(pose.yaw)
    return message


def quaternion_of(yaw: float) -> Quaternion:
    """Quaternion of a turn about z, in rad."""
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def grid_of(message: GridMessage) -> OccupancyGrid:
    """Occupancy grid of a message.

    Raises:
        ValueError: it is turned against its frame, which is not supported, has too few cells, or
            has values that no OccupancyGrid has.
    """
    info = message.info
    turned = _fault_of_turn(info.origin.orientation)
    if turned:
        raise ValueError(turned)
    return OccupancyGrid(cells_of(message.data, info.height, info.width), float(info.resolution),
                         info.origin.position.x, info.origin.position.y, message.header.frame_id,
                         stamp_ns(message.header.stamp))


def cells_of(data: Sequence[int], height: int, width: int) -> NDArray[np.int8]:
    """Cells of a map or of a part of it, shape (height, width), int8, -1 to 100.

    Values above 100 count as occupied.

    Raises:
        ValueError: there are too few cells, or values below -1.
    """
    if len(data) != height * width or not data:
        raise ValueError(f'the map of {width} x {height} cells comes with {len(data)} values')
    cells = np.array(data, dtype=np.int8).reshape(height, width)
    least = int(cells.min())
    if least < UNKNOWN:
        raise ValueError(
            f'it has cells of {least}, and an OccupancyGrid has -1 to 100: these are raw costs '
            f'({least + 256} of 255), so name the topic of the OccupancyGrid, or mend what '
            'converts it')
    return np.minimum(cells, np.int8(LETHAL))


def _fault_of_turn(q: Quaternion) -> str:
    """Fault of a map whose origin has this orientation, in words; empty if it can be used.

    An orientation that nobody filled in is all 0.
    """
    length = math.sqrt(q.x**2 + q.y**2 + q.z**2 + q.w**2)
    if not math.isfinite(length):
        return ('the orientation of its origin is no number: look at the origin in the YAML file '
                'of the map')
    if length == 0.0 or math.hypot(q.x, q.y, q.z) <= _LEVEL * length:
        return ''
    if math.hypot(q.x, q.y) > _LEVEL * length:
        return 'its origin is tilted out of the floor, and not only turned'
    yaw = math.remainder(2.0 * math.atan2(q.z, q.w), math.tau)
    return (f'its origin is turned by {yaw:.2f} rad against its frame, which is not supported: '
            'turn the picture of the map instead, and write yaw 0 into its YAML file')


def same_frame(one: str, other: str) -> bool:
    """Tell whether two names mean one frame; names in ROS 1 began with a slash."""
    return one.removeprefix('/') == other.removeprefix('/')


def path_points(path: Path) -> NDArray[np.float64]:
    """Positions of a path, shape (n, 2), in m, in its frame."""
    points: list[Any] = [(pose.pose.position.x, pose.pose.position.y) for pose in path.poses]
    return np.array(points, dtype=np.float64).reshape(-1, 2)
