"""Sends transforms that never change."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile
from tf2_msgs.msg import TFMessage


class StaticTransformBroadcaster:
    """Publishes on /tf_static (reliable, transient local, 1).

    Every message holds all transforms sent so far, since late subscribers get the last one only.
    """

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        """Make the publisher; qos replaces its profile."""
        if qos is None:
            qos = QoSProfile(
                depth=1,
                durability=DurabilityPolicy.TRANSIENT_LOCAL,
                history=HistoryPolicy.KEEP_LAST,
            )
        self.pub_tf = node.create_publisher(TFMessage, '/tf_static', qos)
        self._by_child: dict[str, TransformStamped] = {}

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Send one transform or several; a child sent before is replaced."""
        several = [transform] if isinstance(transform, TransformStamped) else list(transform)
        self._by_child.update({one.child_frame_id: one for one in several})
        self.pub_tf.publish(TFMessage(transforms=list(self._by_child.values())))
