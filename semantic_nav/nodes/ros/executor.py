"""Which executor the processes run on."""

from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor


def make_executor(context: Context | None = None) -> Executor:
    """Return a single-threaded executor, the one that waits on events where rclpy has it.

    The other one builds a new wait set for every callback, which costs about three times the CPU
    at the rates of TF.
    """
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    executor: Executor = EventsExecutor(context=context)
    return executor
