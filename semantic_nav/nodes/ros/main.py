"""Main function of a node's process, with a shutdown that still reaches the other nodes."""

import faulthandler
import time
from collections.abc import Callable
from contextlib import ExitStack

import rclpy
from rclpy.executors import Executor
from rclpy.lifecycle import TransitionCallbackReturn

from semantic_nav.bringup.shutdown import ENDING
from semantic_nav.nodes.ros.beginning import begin, make_executor
from semantic_nav.nodes.ros.core_log import logged_by
from semantic_nav.nodes.ros.core_node import CoreNode

#: Longest wait for the answers to the last requests, in s.
_FAREWELL_S = 1.0
#: Time after a request to end at which a hanging process dumps its stacks, in s.
_HANGS_S = 10.0
#: Number of spins in which settled messages leave the process.
_LAST_SPINS = 5


def run(make_node: Callable[[], CoreNode], args: list[str] | None = None) -> int:
    """Run a node until SIGINT or SIGTERM and return the exit code.

    rclpy's own handler would shut the context down first, and no cancellation could leave any
    more. So the signal only sets a flag; the node is deactivated, and waits a second at most for
    the answers, before the context ends.
    """
    begin(args)
    # Callbacks run in reverse order; each runs even if one before it failed.
    with ExitStack() as end:
        end.callback(ENDING.over)
        end.callback(rclpy.shutdown)
        if ENDING.asked:
            return 0
        executor = make_executor()
        node = make_node()
        end.callback(node.destroy_node)
        end.enter_context(logged_by(node))
        end.callback(executor.shutdown)
        end.callback(_shut_down, node)
        end.callback(_await_answers, node, executor)
        end.callback(node.say_goodbye)
        end.callback(faulthandler.dump_traceback_later, _HANGS_S)
        executor.add_node(node)
        if node.get_parameter('autostart').value and not ENDING.asked and not _bring_up(node):
            return 1
        while not ENDING.asked:
            executor.spin_once(timeout_sec=0.5)
            if node.failure is not None:
                raise node.failure
        return 0


def _bring_up(node: CoreNode) -> bool:
    return (node.trigger_configure() == TransitionCallbackReturn.SUCCESS
            and node.trigger_activate() == TransitionCallbackReturn.SUCCESS)


def _await_answers(node: CoreNode, executor: Executor) -> None:
    deadline = time.monotonic() + _FAREWELL_S
    while node.active and not node.settled() and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)
    for _ in range(_LAST_SPINS):
        executor.spin_once(timeout_sec=0.0)


def _shut_down(node: CoreNode) -> None:
    if not node.ended:
        node.trigger_shutdown()
