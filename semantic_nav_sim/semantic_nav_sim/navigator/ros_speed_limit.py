"""Speed limits over ROS (needs ROS)."""

from collections.abc import Callable

from rclpy.node import Node


def obey_speed_limits(node: Node, limit_speed: Callable[..., None]) -> None:
    """Subscribe to `speed_limit` (nav2_msgs/SpeedLimit), as Nav2's controller server does.

    Args:
        node: Owns the subscription.
        limit_speed: Takes the limit, and whether it is in percent.
    """
    try:
        from nav2_msgs.msg import SpeedLimit
    except ImportError:
        node.get_logger().warn('the environment is older than the message SpeedLimit, so none is '
                               'obeyed: run ros_wheels/bootstrap')
        return
    node.create_subscription(
        SpeedLimit, 'speed_limit',
        lambda message: limit_speed(message.speed_limit, percentage=message.percentage), 10)
