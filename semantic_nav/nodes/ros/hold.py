"""The topic by which somebody lets the robot stand: a pause switch, an emergency stop."""

import time

from rclpy.qos import QoSProfile
from std_msgs.msg import Bool

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.verify.events import HoldHeard

#: How often it is seen whether somebody else speaks on the topic now.
_LOOK_S = 0.5
#: What is said again and again is fed no more often.
_AGAIN_S = 0.2


class Hold:
    """Feeds what the topic says, until the deactivation of the node.

    Whoever speaks may keep the last word for late comers or not, and may speak reliably or not:
    the subscription is as strong as all writers allow.
    """

    def __init__(self, node: CoreNode, topic: str, *, repeats: bool) -> None:
        """Begin to listen.

        Args:
            node: feeds its core.
            topic: std_msgs/Bool, true where the robot is to stand.
            repeats: the core wants to know that the topic is not silent.
        """
        self._node, self._topic, self._repeats = node, topic, repeats
        self._held: bool | None = None
        self._fed_s = 0.0
        self._profile = qos.STATE
        self._subscription = self._subscribe()
        node.undo_with(lambda _: node.destroy_subscription(self._subscription), None)
        node.steady_timer(_LOOK_S, self._adapt)
        node.diagnostics.report('pause', Level.WARN, f'nothing has come on {topic}')

    def _subscribe(self) -> object:
        return self._node.create_subscription(Bool, self._topic, self._hear, self._profile)

    def _adapt(self) -> None:
        profile = qos.hearing([info.qos_profile for info in
                               self._node.get_publishers_info_by_topic(self._topic)])
        if profile is not self._profile:
            self._profile: QoSProfile = profile
            self._node.destroy_subscription(self._subscription)
            self._subscription = self._subscribe()

    def _hear(self, message: Bool) -> None:
        now_s = time.monotonic()
        held = bool(message.data)
        if held == self._held and not (self._repeats and now_s - self._fed_s >= _AGAIN_S):
            return
        self._held, self._fed_s = held, now_s
        self._node.diagnostics.report(
            'pause', Level.WARN if held else Level.OK,
            f'{self._topic} says that the robot is to stand' if held else 'the robot may drive')
        self._node.feed(HoldHeard(held))
