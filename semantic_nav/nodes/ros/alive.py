"""Signs of life, by the liveliness of DDS: also a process that was killed or hangs is noticed.

They are given in the thread that runs the core: a core that hangs gives none.
"""

import time
from collections.abc import Callable

from rclpy.event_handler import QoSLivelinessChangedInfo, SubscriptionEventCallbacks
from std_msgs.msg import Empty

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import PREFIX, CoreNode

_BEAT_S = 0.15


def give_signs_of_life(node: CoreNode) -> None:
    """Let others notice, until deactivation, that a node is alive; say if there are two of it."""
    name = node.get_name()
    publisher = node.undo_with(node.destroy_publisher, node.create_publisher(
        Empty, _topic(name), qos.ALIVE))
    node.steady_timer(_BEAT_S, publisher.assert_liveliness)

    def count(info: QoSLivelinessChangedInfo) -> None:
        if info.alive_count > 1:
            node.diagnostics.report(
                'alive', Level.ERROR, f'another {name} is there, in this namespace and ROS '
                'domain: one of the two must be ended')
        else:
            node.diagnostics.report('alive', Level.OK, f'the only {name}')

    _listen(node, name, count)


def _listen(node: CoreNode, name: str,
            changed: Callable[[QoSLivelinessChangedInfo], None]) -> None:
    listeners = node.lasting.get((_Signs, name), lambda: _Signs(node, name)).listeners
    listeners.append(changed)
    node.undo_with(listeners.remove, changed)


class _Signs:
    """The signs of life of a node, told to who listens."""

    def __init__(self, node: CoreNode, name: str) -> None:
        self.listeners: list[Callable[[QoSLivelinessChangedInfo], None]] = []
        self._node, self._subscription = node, node.create_subscription(
            Empty, _topic(name), lambda message: None, qos.ALIVE,
            event_callbacks=SubscriptionEventCallbacks(liveliness=node.guarded(self._tell)))

    def _tell(self, info: QoSLivelinessChangedInfo) -> None:
        for changed in tuple(self.listeners):
            changed(info)

    def destroy(self) -> None:
        self._node.destroy_subscription(self._subscription)


class Watch:
    """Watches for the signs of life of a node, until the deactivation of one's own."""

    def __init__(self, node: CoreNode, name: str, lost: Callable[[], None]) -> None:
        """Begin without having seen any.

        Args:
            node: watches.
            name: of the node that is watched.
            lost: is called when it gives no sign any more, though another of its name may.
        """
        self._lost = lost
        self._since: float | None = None
        _listen(node, name, self._changed)

    @property
    def lost_s(self) -> float:
        """Return for how long there has been no sign of life; 0 before the first one."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    def _changed(self, info: QoSLivelinessChangedInfo) -> None:
        if info.alive_count > 0:
            self._since = None
        elif self._since is None:
            self._since = time.monotonic()
        if info.alive_count_change < 0:
            self._lost()


def _topic(name: str) -> str:
    return f'{PREFIX}/alive/{name}'
