"""Goals that Nav2 has in hand, from any client, by the status topics of its actions."""

import time
from functools import partial

from action_msgs.msg import GoalStatus, GoalStatusArray

from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.verify.events import NavGoalsAwaited, NavGoalsHeard
from semantic_nav.verify.floor.nav2_clients import OURS

#: Actions that drive the robot for a client. Spins and the like may be recoveries of these.
_ACTIONS = ('navigate_to_pose', 'navigate_through_poses')
_IN_HAND = frozenset({GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING,
                      GoalStatus.STATUS_CANCELING})
#: Period of the check for servers that are gone, in s.
_LOOK_S = 0.5
#: Time to hear of another verifier, in s. It gives a sign every 0.15 s, but on a busy machine it
#: is heard only once it was discovered, as the servers were. A killed one stays announced for
#: longer than the second time.
_ALONE_S, _ALONE_UNHEARD_S = 2.0, 6.0


class NavGoals:
    """Feed of the goals when they change, until the deactivation of the node.

    Goals of a verifier are fed only after the node has heard no other of its name: the goals of
    such a node are no stray goals.

    Subscribes: the status of navigate_to_pose and of navigate_through_poses.
    """

    def __init__(self, node: CoreNode) -> None:
        """Begin to listen."""
        self._node = node
        self._in_hand: dict[str, tuple[str, ...]] = {}
        self._fed: tuple[str, ...] | None = None
        self._heard_at: float | None = None
        self._servers = dict.fromkeys(_ACTIONS, 0)
        self._subscriptions = {action: self._subscribe(action) for action in _ACTIONS}
        node.undo_with(lambda _: self._stop(), None)
        node.steady_timer(_LOOK_S, self._look)
        node.feed(NavGoalsAwaited())

    def _stop(self) -> None:
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)

    def _subscribe(self, action: str) -> object:
        return self._node.create_subscription(
            GoalStatusArray, f'{action}/_action/status', partial(self._hear, action), qos.STATE)

    def _hear(self, action: str, message: GoalStatusArray) -> None:
        self._heard_at = self._heard_at or time.monotonic()
        self._in_hand[action] = tuple(bytes(one.goal_info.goal_id.uuid).hex()
                                      for one in message.status_list if one.status in _IN_HAND)
        self._tell()

    def _look(self) -> None:
        """Forget the goals of a server that is gone; one that is left publishes its own again."""
        for action, before in self._servers.items():
            # count_publishers does not follow remappings by itself.
            self._servers[action] = self._node.count_publishers(
                self._node.resolve_topic_name(f'{action}/_action/status'))
            if self._servers[action] < before:
                self._in_hand.pop(action, None)
                self._node.destroy_subscription(self._subscriptions[action])
                self._subscriptions[action] = self._subscribe(action)
        if self._fed is not None:
            self._tell()

    def _tell(self) -> None:
        life, now = self._node.life, time.monotonic()
        alone = min(life.alone_s, now - (self._heard_at or now)) > (
            _ALONE_UNHEARD_S if life.unheard else _ALONE_S)
        goal_ids = tuple(sorted({one for ids in self._in_hand.values() for one in ids
                                 if alone or not one.startswith(OURS)}))
        if goal_ids != self._fed:
            self._fed = goal_ids
            self._node.feed(NavGoalsHeard(goal_ids))
