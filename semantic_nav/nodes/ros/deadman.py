"""Deadman for the verifier: another node cancels the announced goal of a dead verifier."""

import time

from action_msgs.srv import CancelGoal
from std_msgs.msg import String

from semantic_nav.contracts.announced_goal import AGAIN_S, AnnouncedGoal
from semantic_nav.contracts.codec import decode_document
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.conversions import uuid_of
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.names import PREFIX

#: Actions whose goals the verifier announces.
_SERVERS = ('navigate_to_pose', 'spin', 'backup')
#: Action that drives for navigate_to_pose, and goes on alone if that has died.
_FOLLOWER = 'follow_path'


class Deadman:
    """Deadman that cancels the announced goal of a verifier without signs of life.

    Subscribes: verdict, alive/verifier.
    Services used: cancel_goal of navigate_to_pose, spin, backup and follow_path.
    """

    def __init__(self, node: CoreNode) -> None:
        """Watch until the deactivation of the node."""
        self._node = node
        self._announced, self._told = AnnouncedGoal(), False
        self._clients = {name: node.undo_with(node.destroy_client, node.create_client(
            CancelGoal, f'{name}/_action/cancel_goal')) for name in (*_SERVERS, _FOLLOWER)}
        node.undo_with(node.destroy_subscription, node.create_subscription(
            String, f'{PREFIX}/verdict', self._on_verdict, qos.OF_READER['verdict']))
        self.watch = node.life.watch('verifier', self._on_lost)
        node.steady_timer(AGAIN_S, self._go_on)

    def _on_verdict(self, message: String) -> None:
        try:
            document = decode_document(message.data, 'verdict')
        except ContractError:
            return  # The core reports it where it reads verdicts too.
        self._announced.hear(document)

    def _on_lost(self) -> None:
        goal_id = self._announced.lost(time.monotonic_ns())
        if goal_id:
            self._told = True
            self._node.diagnostics.report(
                'deadman', Level.ERROR, 'the verifier gives no sign of life: the end of its goal '
                f'{goal_id} is asked for')
            self._cancel(goal_id)

    def _go_on(self) -> None:
        if self._told and not self.watch.lost_s:
            self._told = False
            self._node.diagnostics.report('deadman', Level.OK, 'the verifier is back')
        goal_id = self._announced.again(time.monotonic_ns(), lost=self.watch.lost_s > 0)
        if goal_id:
            self._cancel(goal_id)

    def _cancel(self, goal_id: str) -> None:
        for name, client in self._clients.items():
            request = CancelGoal.Request()
            if name != _FOLLOWER:
                # A request without UUID and time, as for the follower, means all goals.
                request.goal_info.goal_id = uuid_of(goal_id)
            if client.service_is_ready():
                client.call_async(request)
