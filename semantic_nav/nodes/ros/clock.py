"""The three clocks of a node, and its timers."""

import time
from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.time import Time
from rclpy.timer import Timer

from semantic_nav.contracts.clock import NS_PER_S, Now


def read_clocks(node: Node) -> Now:
    """Return the time on the node's ROS clock, the monotonic clock and the calendar."""
    return Now(node.get_clock().now().nanoseconds, time.monotonic_ns(), time.time_ns())


def steady_timer(node: Node, period_s: float, callback: Callable[[], None]) -> Timer:
    """Create a timer on the steady clock; the node's owner destroys it.

    The node's own clock stands still where simulated time does, and its timers do for as long as
    the wall clock was set back (rclpy issue 1490).
    """
    return node.create_timer(period_s, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))


def stamp_ns(stamp: object) -> int:
    """Return a builtin_interfaces/Time in nanoseconds."""
    return stamp.sec * NS_PER_S + stamp.nanosec  # type: ignore[attr-defined]


def to_stamp(nanoseconds: int) -> object:
    """Return nanoseconds as builtin_interfaces/Time."""
    return Time(nanoseconds=nanoseconds).to_msg()
