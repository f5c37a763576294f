"""The beginning of a process with a node."""

import rclpy
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.signals import SignalHandlerOptions

from semantic_nav.bringup.shutdown import ENDING


def begin(args: list[str] | None = None) -> None:
    """Heed signals and start ROS, whose own handler would end the context before the node ends.

    Args:
        args: of the command line.

    Raises:
        SystemExit: ROS refuses them, as for a parameter file that is none.
    """
    ENDING.heed()
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except rclpy_implementation.RCLError as error:
        raise SystemExit(str(error)) from None
