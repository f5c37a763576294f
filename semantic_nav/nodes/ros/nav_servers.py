"""Lifecycle states of Nav2's servers: which of them is to blame if a goal fails."""

import time
from collections.abc import Callable
from typing import Any

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState

from semantic_nav.nodes.ros.core_node import CoreNode

#: Nodes that serve what a drive needs, by the name of the action.
SERVERS = {'navigate_to_pose': 'bt_navigator', 'compute_path_to_pose': 'planner_server',
           'follow_path': 'controller_server', 'spin': 'behavior_server',
           'backup': 'behavior_server'}
#: Longest wait for the answers, in s; they take milliseconds, and a dead server gives none.
_ANSWER_S = 0.8
#: Period of the questions while a server is at fault, in s.
_AGAIN_S = 2.0


class NavServers:
    """Client of the servers' lifecycle states, which asks all of them after a failure.

    Services used: get_state of bt_navigator, planner_server, controller_server, behavior_server.

    Attributes:
        fault: fault of the servers by their last answers, in words; empty if there is none.
    """

    def __init__(self, node: CoreNode, serves: Callable[[str], bool],
                 tell: Callable[[], None]) -> None:
        """Begin without asking.

        Args:
            node: owns the clients.
            serves: tells of an action whether anybody serves it.
            tell: called when `fault` has changed.
        """
        self._node, self._serves, self._tell = node, serves, tell
        self._clients = {name: node.create_client(GetState, f'{name}/get_state')
                         for name in dict.fromkeys(SERVERS.values())}
        self._asked: dict[str, Any] | None = None
        self._asked_at = 0.0
        self._waiting: list[Callable[[], None]] = []
        self.fault = ''

    def destroy(self) -> None:
        """Drop the open questions, and destroy the clients."""
        self._waiting.clear()
        for client in self._clients.values():
            self._node.destroy_client(client)

    def ask(self, then: Callable[[], None] = lambda: None) -> None:
        """Ask all servers; `then` is called in less than a second, when `fault` is known."""
        self._waiting.append(then)
        if self._asked is None:
            self._asked_at = time.monotonic()
            self._asked = {name: client.call_async(GetState.Request())
                           for name, client in self._clients.items() if client.service_is_ready()}

    def check(self, now: float) -> None:
        """Take in the answers; called by a timer."""
        if self._asked is None:
            if self.fault and now - self._asked_at > _AGAIN_S:
                self.ask()
        elif all(one.done() for one in self._asked.values()) or now - self._asked_at > _ANSWER_S:
            self._conclude(self._asked)

    def _conclude(self, asked: dict[str, Any]) -> None:
        fault = ', '.join(f'{name} {words}' for name in self._clients
                          if (words := self._words_of(name, asked)))
        for name, future in asked.items():
            self._clients[name].remove_pending_request(future)
        waiting, self._waiting, self._asked = self._waiting, [], None
        if fault != self.fault:
            self.fault = fault
            self._tell()
        for then in waiting:
            then()

    def _words_of(self, name: str, asked: dict[str, Any]) -> str:
        """Fault of a server, in words; empty if none, or if this navigator has no such server."""
        future = asked.get(name)
        if future is None:
            served = any(self._serves(action) for action, of in SERVERS.items() if of == name)
            return 'is not there' if asked and not served else ''
        if not future.done():
            return 'does not answer'
        state = future.result().current_state
        return '' if state.id == State.PRIMARY_STATE_ACTIVE else f'is {state.label}'
