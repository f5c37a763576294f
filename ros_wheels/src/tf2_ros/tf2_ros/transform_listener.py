"""Fills a buffer from the transform topics."""

from __future__ import annotations

from threading import Thread

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from tf2_ros.buffer import Buffer

_AUTHORITY = 'default_authority'


class TransformListener:
    """Listens on behalf of a node.

    Subscriptions: /tf (reliable, volatile, 100) and /tf_static (reliable, transient local, 100).
    The two are absolute, as everywhere in ROS: a namespaced robot remaps them.
    """

    def __init__(
        self,
        buffer: Buffer,
        node: Node,
        *,
        spin_thread: bool = False,
        qos: QoSProfile | int | None = None,
        static_qos: QoSProfile | int | None = None,
    ) -> None:
        """Start listening.

        Args:
            buffer: Takes the transforms.
            node: Owns the subscriptions.
            spin_thread: Spin the node in a thread of this listener.
            qos: Replaces the profile of /tf.
            static_qos: Replaces the profile of /tf_static.
        """
        if qos is None:
            qos = QoSProfile(
                depth=100,
                durability=DurabilityPolicy.VOLATILE,
                history=HistoryPolicy.KEEP_LAST,
            )
        if static_qos is None:
            static_qos = QoSProfile(
                depth=100,
                durability=DurabilityPolicy.TRANSIENT_LOCAL,
                history=HistoryPolicy.KEEP_LAST,
            )
        self.buffer = buffer
        self.node = node
        # Reentrant, so that a callback of the default group can wait for a transform.
        self.group = ReentrantCallbackGroup()
        self.tf_sub = node.create_subscription(
            TFMessage, '/tf', self.callback, qos, callback_group=self.group
        )
        self.tf_static_sub = node.create_subscription(
            TFMessage, '/tf_static', self.static_callback, static_qos, callback_group=self.group
        )
        self.executor: SingleThreadedExecutor | None = None
        if spin_thread:
            self.executor = SingleThreadedExecutor(context=node.context)
            self.executor.add_node(node)
            self.dedicated_listener_thread = Thread(
                target=_spin, args=(self.executor,), daemon=True
            )
            self.dedicated_listener_thread.start()

    def unregister(self) -> None:
        """Stop listening."""
        self.node.destroy_subscription(self.tf_sub)
        self.node.destroy_subscription(self.tf_static_sub)
        if self.executor is not None:
            self.executor.shutdown(timeout_sec=0)

    def callback(self, data: TFMessage) -> None:
        """Store what came on /tf."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, _AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Store what came on /tf_static."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, _AUTHORITY)


def _spin(executor: SingleThreadedExecutor) -> None:
    try:
        executor.spin()
    except ExternalShutdownException:
        pass  # the context ended before the listener
