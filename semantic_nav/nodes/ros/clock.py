"""The three clocks of a node."""

import time

from rclpy.node import Node
from rclpy.time import Time

from semantic_nav.contracts.clock import NS_PER_S, Now


def read_clocks(node: Node) -> Now:
    """Return the time on the node's ROS clock, the monotonic clock and the calendar."""
    return Now(node.get_clock().now().nanoseconds, time.monotonic_ns(), time.time_ns())


def stamp_ns(stamp: object) -> int:
    """Return a builtin_interfaces/Time in nanoseconds."""
    return stamp.sec * NS_PER_S + stamp.nanosec  # type: ignore[attr-defined]


def to_stamp(nanoseconds: int) -> object:
    """Return nanoseconds as builtin_interfaces/Time."""
    return Time(nanoseconds=nanoseconds).to_msg()
