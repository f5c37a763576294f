"""Executors that tests spin, what is waited for meanwhile, and their end."""

import contextlib
import threading
from collections.abc import Callable, Iterator

from rclpy.executors import Executor
from rclpy.node import Node

from semantic_nav.nodes.ros.core_node import CoreNode


def shut_down(executor: Executor) -> None:
    """Shut down an executor that nobody spins any more, and what it has not begun yet.

    A goal that was accepted last would be found by the garbage collector in a later test, as a
    coroutine that nobody awaited.
    """
    for task, _, _ in list(getattr(executor, '_tasks', ())):
        task.cancel()
    executor.shutdown()


def drop(executor: Executor, node: Node) -> None:
    """End a node whose executor goes on.

    The events executor must find no event of an entity that is gone: it would end by SIGSEGV.
    """
    if isinstance(node, CoreNode) and not node.ended:
        node.trigger_shutdown()
    _work_off(executor)
    executor.remove_node(node)
    _work_off(executor)
    destroy(node)


def destroy(node: Node) -> None:
    """Destroy a node, and let its DDS participant go.

    A lifecycle node of rclpy leaves it to the garbage collector, and on loopback Fast DDS meets
    32 participants only.
    """
    node.destroy_node()
    vars(node).pop('_state_machine', None)


def _work_off(executor: Executor) -> None:
    """Let an executor do what it has been given until now."""
    last = executor.create_task(lambda: None)
    while not last.done():
        executor.spin_once(timeout_sec=0.05)


@contextlib.contextmanager
def spun(executor: Executor) -> Iterator[None]:
    """Spin an executor in a thread of its own; it is not shut down.

    That is for later: `shutdown` takes away what a thread that still spins waits for.
    """
    done = threading.Event()

    def spin() -> None:
        while not done.is_set():
            executor.spin_once(timeout_sec=0.05)

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so, a minute at most."""
    pause = threading.Event()
    for _ in range(600):
        if condition():
            return
        pause.wait(0.1)
    raise AssertionError('it did not come')
