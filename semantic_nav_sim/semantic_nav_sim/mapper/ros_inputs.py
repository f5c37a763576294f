"""Sensor messages with the transforms of their stamps (needs ROS)."""

from collections import deque
from collections.abc import Container
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, Image, LaserScan
from tf2_ros import Buffer, TransformException

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.camera_topics import CameraTopics
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import transform_of
from semantic_nav.nodes.ros.depth_pixels import millimetres_of


@dataclass(frozen=True)
class ScanBeams:
    """The rays of a LaserScan: bearings in radians, ranges in metres (see `mapper.Beams`)."""

    angle_min_rad: float
    step_rad: float
    range_min_m: float
    range_max_m: float

    @classmethod
    def of(cls, message: LaserScan) -> Self:
        """The rays of a message."""
        return cls(message.angle_min, message.angle_increment, message.range_min,
                   message.range_max)


class Sensor:
    """Buffer of a topic, subscribed on demand, that returns messages with known transforms.

    Messages are kept in serialised form, since most are never read. Two are kept, since the newest
    one may wait for the transform of its stamp.
    """

    def __init__(self, node: Node, kind: Any, topic: str, profile: QoSProfile) -> None:
        """Start without a subscription.

        Args:
            node: owner of the subscription.
            kind: type of the messages, which have a header.
            topic: name of the topic.
            profile: QoS of the subscription.
        """
        self._node, self._kind, self._topic, self._profile = node, kind, topic, profile
        self._waiting: deque[bytes] = deque(maxlen=2)
        self._subscription: Any = None

    def listen(self, wanted: bool) -> None:
        """Subscribe, or unsubscribe."""
        if wanted and self._subscription is None:
            self._subscription = self._node.create_subscription(
                self._kind, self._topic, self._take_in, self._profile, raw=True)
        elif not wanted and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
            self._waiting.clear()

    def waiting(self) -> list[Any]:
        """The messages that were not taken, the newest last."""
        return [deserialize_message(raw, self._kind) for raw in self._waiting]

    def take(self, buffer: Buffer, frame: str,
             stamps_ns: Container[int] | None = None) -> tuple[Any, Transform] | None:
        """Take the newest message whose transform into a frame is known; each at most once.

        Args:
            buffer: of the transforms.
            frame: target frame.
            stamps_ns: stamps of the messages that may be taken; None for all.
        """
        for raw in reversed(self._waiting):
            message = deserialize_message(raw, self._kind)
            if stamps_ns is not None and stamp_ns(message.header.stamp) not in stamps_ns:
                continue
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


@dataclass(frozen=True, eq=False)
class DepthView:
    """A depth picture with the pose of its camera.

    Attributes:
        depth_mm: shape (height, width), along the optical axis, 0 for no measurement.
        intrinsics: of this picture.
        frame_T_camera: of the optical frame.
        stamp_ns: of the picture.
    """

    depth_mm: NDArray[np.uint16]
    intrinsics: Intrinsics
    frame_T_camera: Transform
    stamp_ns: int


class DepthCamera:
    """Depth pictures of one camera with their intrinsics, subscribed on demand.

    A picture needs the camera_info of its stamp, whose matrix K is used for its pixels as it is.
    So does depth_image_proc, which computes points from depth for Nav2.

    Attributes:
        name: of the camera; empty for the first one.
    """

    def __init__(self, node: Node, name: str) -> None:
        """Start without subscriptions.

        Args:
            node: owner of the subscriptions.
            name: of the camera, which determines its topics.
        """
        self.name = name
        topics = CameraTopics.named(name or DEFAULT_CAMERA)
        self._depth = Sensor(node, Image, topics.depth, qos.IMAGES)
        self._info = Sensor(node, CameraInfo, topics.info, qos.IMAGES)

    def listen(self, wanted: bool) -> None:
        """Subscribe, or unsubscribe."""
        for sensor in (self._depth, self._info):
            sensor.listen(wanted)

    def take(self, buffer: Buffer, frame: str) -> DepthView | None:
        """Take the newest picture whose transform into a frame is known; each at most once."""
        infos = {stamp_ns(info.header.stamp): info for info in self._info.waiting()
                 if info.k[0] > 0}
        depth = self._depth.take(buffer, frame, infos)
        if depth is None:
            return None
        message, frame_T_camera = depth
        taken_ns = stamp_ns(message.header.stamp)
        k = infos[taken_ns].k
        return DepthView(
            millimetres_of(message),
            Intrinsics(message.width, message.height, *(float(k[at]) for at in (0, 4, 2, 5))),
            frame_T_camera, taken_ns)
