"""A node as of another process: one process cannot have a topic in two types, a robot can."""

import contextlib
from collections.abc import Iterator

import rclpy
from rclpy.context import Context
from rclpy.node import Node


@contextlib.contextmanager
def stranger(domain: int, name: str = 'stranger', namespace: str = 'robot') -> Iterator[Node]:
    """Run a node that is no participant of the others'; it need not be spun to publish."""
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    node = Node(name, context=context, namespace=namespace)
    try:
        yield node
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)
