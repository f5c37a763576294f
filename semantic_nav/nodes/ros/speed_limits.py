"""Speed limits for Nav2's controller."""

from rclpy.lifecycle import LifecycleNode

from semantic_nav.nodes.ros import qos
from semantic_nav.verify.effects import LimitSpeed


class SpeedLimits:
    """Publisher of nav2_msgs/SpeedLimit, like Nav2's own speed filter."""

    def __init__(self, node: LifecycleNode, topic: str, map_frame: str) -> None:
        """Publish nothing yet: a robot without speed zones never sends a limit.

        Args:
            node: owns the publisher.
            topic: topic of the limits.
            map_frame: frame for the header.
        """
        self._node, self._topic, self._map_frame = node, topic, map_frame
        self._publisher = None

    def publish(self, effect: LimitSpeed) -> None:
        """Publish a limit."""
        # Older environments lack the message.
        from nav2_msgs.msg import SpeedLimit
        if self._publisher is None:
            self._publisher = self._node.create_publisher(SpeedLimit, self._topic, qos.STATE)
        message = SpeedLimit(percentage=effect.limit.percentage, speed_limit=effect.limit.value)
        message.header.frame_id = self._map_frame
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def destroy(self) -> None:
        """Destroy the publisher."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
