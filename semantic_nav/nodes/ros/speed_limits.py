"""Tells Nav2's controller how fast it may drive."""

from rclpy.lifecycle import LifecycleNode

from semantic_nav.nodes.ros import qos
from semantic_nav.verify.effects import LimitSpeed


class SpeedLimits:
    """Publishes nav2_msgs/SpeedLimit, as Nav2's own speed filter does."""

    def __init__(self, node: LifecycleNode, topic: str, map_frame: str) -> None:
        """Publish nothing yet: of a robot without speed zones nothing is ever said.

        Args:
            node: that publishes.
            topic: on which.
            map_frame: for the header.
        """
        self._node, self._topic, self._map_frame = node, topic, map_frame
        self._publisher = None

    def publish(self, effect: LimitSpeed) -> None:
        """Say the limit."""
        # An environment that was made before the message was added lacks it.
        from nav2_msgs.msg import SpeedLimit
        if self._publisher is None:
            self._publisher = self._node.create_publisher(SpeedLimit, self._topic, qos.STATE)
        message = SpeedLimit(percentage=effect.limit.percentage, speed_limit=effect.limit.value)
        message.header.frame_id = self._map_frame
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def destroy(self) -> None:
        """End the publisher."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
