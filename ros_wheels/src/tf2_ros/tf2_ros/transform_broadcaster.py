"""Sends transforms that change."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage


class TransformBroadcaster:
    """Publishes on /tf (reliable, volatile, 100)."""

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        """Make the publisher; qos replaces its profile."""
        self.pub_tf = node.create_publisher(
            TFMessage, '/tf', QoSProfile(depth=100) if qos is None else qos
        )

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Send one transform or several."""
        several = [transform] if isinstance(transform, TransformStamped) else list(transform)
        self.pub_tf.publish(TFMessage(transforms=several))
