"""Messages of sensors with the transform of their stamp (needs ROS)."""

from collections import deque
from dataclasses import dataclass
from typing import Any, Self

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.time import Time
from sensor_msgs.msg import LaserScan
from tf2_ros import Buffer, TransformException

from semantic_nav.contracts.geometry import Transform
from semantic_nav.nodes.ros.conversions import transform_of


@dataclass(frozen=True)
class ScanBeams:
    """The rays of a LaserScan: bearings in radians, ranges in metres (see `mapper.Beams`)."""

    angle_min_rad: float
    step_rad: float
    range_min_m: float
    range_max_m: float

    @classmethod
    def of(cls, message: LaserScan) -> Self:
        """Return those of a message."""
        return cls(message.angle_min, message.angle_increment, message.range_min,
                   message.range_max)


class Sensor:
    """Listens to a topic while it is wanted, and hands out what has a transform by now.

    Messages are kept as they came, for most are never looked at; two, because the newest may wait
    for the transform of its stamp.
    """

    def __init__(self, node: Node, kind: Any, topic: str, profile: QoSProfile) -> None:
        """Stay silent.

        Args:
            node: subscribes.
            kind: type of the messages, which have a header.
            topic: where they come.
            profile: how.
        """
        self._node, self._kind, self._topic, self._profile = node, kind, topic, profile
        self._waiting: deque[bytes] = deque(maxlen=2)
        self._subscription: Any = None

    def listen(self, wanted: bool) -> None:
        """Begin to listen, or end it."""
        if wanted and self._subscription is None:
            self._subscription = self._node.create_subscription(
                self._kind, self._topic, self._take_in, self._profile, raw=True)
        elif not wanted and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
            self._waiting.clear()

    def take(self, buffer: Buffer, frame: str) -> tuple[Any, Transform] | None:
        """Return the newest message whose transform into a frame is known; each at most once."""
        for raw in reversed(self._waiting):
            message = deserialize_message(raw, self._kind)
            stamp = Time.from_msg(message.header.stamp)
            try:
                found = buffer.lookup_transform(frame, message.header.frame_id, stamp)
            except TransformException:
                continue
            while self._waiting.popleft() is not raw:
                pass
            return message, transform_of(found)
        return None

    def _take_in(self, raw: bytes) -> None:
        self._waiting.append(raw)
