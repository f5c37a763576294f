"""Clocks of a node, and its timers."""

import time
from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.time import Time
from rclpy.timer import Timer

from semantic_nav.contracts.clock import NS_PER_S, Now


def read_clocks(node: Node) -> Now:
    """Time on the node's ROS clock, the monotonic clock and the calendar, in ns."""
    return Now(node.get_clock().now().nanoseconds, time.monotonic_ns(), time.time_ns())


def steady_timer(node: Node, period_s: float, callback: Callable[[], None]) -> Timer:
    """Create a timer on the steady clock; the node's owner destroys it.

    A timer on the node's own clock stands still while simulated time does, and for as long as the
    wall clock was set back (rclpy issue 1490).
    """
    return node.create_timer(period_s, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))


def stamp_ns(stamp: object) -> int:
    """Nanoseconds of a builtin_interfaces/Time."""
    return stamp.sec * NS_PER_S + stamp.nanosec  # type: ignore[attr-defined]


def to_stamp(nanoseconds: int) -> object:
    """A builtin_interfaces/Time of nanoseconds."""
    return Time(nanoseconds=nanoseconds).to_msg()
