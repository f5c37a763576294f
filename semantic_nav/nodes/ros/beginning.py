"""Start of a process with a node: signals, ROS and the executor."""

import rclpy
from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.signals import SignalHandlerOptions

from semantic_nav.bringup.shutdown import ENDING


def begin(args: list[str] | None = None) -> None:
    """Heed signals and start ROS; ROS's own handler would end the context before the node ends.

    Args:
        args: command-line arguments.

    Raises:
        SystemExit: ROS refuses them, as for an invalid parameter file.
    """
    ENDING.heed()
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except rclpy_implementation.RCLError as error:
        raise SystemExit(str(error)) from None


def make_executor(context: Context | None = None) -> Executor:
    """A single-threaded executor: the events executor where rclpy has it.

    The other one builds a new wait set for every callback, which costs about three times the CPU
    at the rates of TF.
    """
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    executor: Executor = EventsExecutor(context=context)
    return executor
