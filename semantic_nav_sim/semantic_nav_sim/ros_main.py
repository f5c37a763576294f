"""Main function of the stand-in processes (needs ROS)."""

from collections.abc import Callable
from typing import Protocol

import rclpy
from rclpy.executors import ExternalShutdownException

from semantic_nav.bringup.shutdown import ENDING
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.nodes.ros.beginning import begin, make_executor


class Closeable(Protocol):
    """A node with a task at its end."""

    def close(self) -> None:
        """Do the final task."""

    def destroy_node(self) -> None:
        """Release all ROS resources."""


def run(name: str, make_node: Callable[[], Closeable], args: list[str] | None = None) -> int:
    """Run a node until SIGINT or SIGTERM; returns 0 then, 1 if it cannot start.

    Args:
        name: of the node, for the message if it cannot start.
        make_node: may raise ConfigError.
        args: of the command line.
    """
    begin(args)
    try:
        node = make_node()
    except ConfigError as error:
        rclpy.logging.get_logger(name).fatal(str(error))
        rclpy.shutdown()
        return 1
    executor = make_executor()
    executor.add_node(node)
    try:
        while not ENDING.asked:
            executor.spin_once(timeout_sec=0.2)
        return 0
    except ExternalShutdownException:
        return 0
    finally:
        node.close()
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
        ENDING.over()
