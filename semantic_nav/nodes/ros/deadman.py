"""The end of a drive whose verifier is gone: somebody else cancels the goal that it announced."""

import time

from action_msgs.srv import CancelGoal
from std_msgs.msg import String

from semantic_nav.contracts.codec import decode_document
from semantic_nav.contracts.documents import Verdict
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.alive import Watch
from semantic_nav.nodes.ros.conversions import uuid_of
from semantic_nav.nodes.ros.core_node import PREFIX, CoreNode

#: Whose goals the verifier announces.
_SERVERS = ('navigate_to_pose', 'spin', 'backup')
#: It drives for navigate_to_pose, and goes on alone where that has died.
_FOLLOWER = 'follow_path'
_AGAIN_S = 0.3
_LONGEST_S = 10.0


class Deadman:
    """Cancels the announced goal of a verifier that gives no sign of life any more.

    Subscribes: verdict, alive/verifier.
    Services used: cancel_goal of navigate_to_pose, spin, backup and follow_path.
    """

    def __init__(self, node: CoreNode) -> None:
        """Watch until the deactivation of the node."""
        self._node = node
        self._goal_id = self._step_id = ''
        self._since: float | None = None
        self._clients = {name: node.undo_with(node.destroy_client, node.create_client(
            CancelGoal, f'{name}/_action/cancel_goal')) for name in (*_SERVERS, _FOLLOWER)}
        node.undo_with(node.destroy_subscription, node.create_subscription(
            String, f'{PREFIX}/verdict', self._on_verdict, qos.OF_READER['verdict']))
        self.watch = Watch(node, 'verifier', self._on_lost)
        node.steady_timer(_AGAIN_S, self._go_on)

    def _on_verdict(self, message: String) -> None:
        try:
            document = decode_document(message.data, 'verdict')
        except ContractError:
            return  # The core says so where it reads them too.
        body = document.body
        assert isinstance(body, Verdict)
        if body.decision is not None and body.decision.nav_goal_id is not None:
            self._goal_id, self._step_id = body.decision.nav_goal_id, document.cause_id
            self._since = None
        elif document.cause_id == self._step_id:
            self._goal_id = self._step_id = ''
            self._since = None

    def _on_lost(self) -> None:
        if not self._goal_id:
            return
        self._node.diagnostics.report(
            'deadman', Level.ERROR,
            'the verifier gives no sign of life: '
            f'the end of its goal {self._goal_id} is asked for')
        self._since = time.monotonic()
        self._cancel()

    def _go_on(self) -> None:
        """Ask again for a while: that a server has ended the goal does not prove a standstill."""
        if self._since is None:
            return
        if self.watch.lost_s and time.monotonic() - self._since < _LONGEST_S:
            self._cancel()
        else:
            # A verifier that is there again sees to it itself.
            self._since = None

    def _cancel(self) -> None:
        for name, client in self._clients.items():
            request = CancelGoal.Request()
            if name != _FOLLOWER:
                # Without UUID and time, as for the follower, a request means all goals.
                request.goal_info.goal_id = uuid_of(self._goal_id)
            if client.service_is_ready():
                client.call_async(request)
