"""The lifecycle states of Nav2's nodes, as their services report them (needs ROS)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.node import Node

from semantic_nav_sim.navigator.servers import Server, Servers

_HANGS = {'planner_server': Server.PLANNER, 'controller_server': Server.CONTROLLER}
_NODES = ('bt_navigator', 'planner_server', 'controller_server', 'behavior_server')


class Lifecycle:
    """Serves `get_state` of each node; one that hangs or was killed does not answer.

    Args:
        node: Owns the services.
        servers: Source of the states.
    """

    def __init__(self, node: Node, servers: Servers) -> None:
        self._servers = servers
        self.silent: set[str] = set()
        for name in _NODES:
            service = node.create_service(GetState, f'{name}/get_state',
                                          partial(self._state, name))
            # The events executor awaits no callback, so an unanswered request must skip the
            # sending.
            service.send_response = partial(_send, service.send_response)

    def _state(self, name: str, _request: GetState.Request,
               response: GetState.Response) -> GetState.Response | None:
        if name in self.silent or self._servers.hangs(_HANGS.get(name)):
            return None
        response.current_state = (
            State(id=State.PRIMARY_STATE_INACTIVE, label='inactive') if self._servers.paused else
            State(id=State.PRIMARY_STATE_ACTIVE, label='active'))
        return response


def _send(send: Callable[[GetState.Response, Any], None], response: GetState.Response | None,
          header: Any) -> None:
    if response is not None:
        send(response, header)
