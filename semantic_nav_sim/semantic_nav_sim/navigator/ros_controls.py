"""Parameters by which an operator controls the navigator while it runs (needs ROS)."""

from __future__ import annotations

from collections.abc import Callable

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from semantic_nav_sim.navigator.goals import Action
from semantic_nav_sim.navigator.ros_actions import Actions
from semantic_nav_sim.navigator.ros_lifecycle import Lifecycle
from semantic_nav_sim.navigator.servers import Server, Servers

_DESCRIPTIONS = {
    'paused': 'as after PAUSE of the lifecycle manager: ends every goal and rejects new ones',
    'planner_alive': 'false: as if the process of the planner server had been killed',
    'bt_navigator_alive': 'false: as if the process of bt_navigator had been killed; what it had '
                          'the controller follow is followed to its end',
    'controller_alive': 'false: as if the controller server hung: the bond breaks, and nothing '
                        'is active until no server hangs any more',
    'planner_answers': 'false: as if the planner server hung: the robot follows the path it has, '
                       'then as with controller_alive'}
_KILLED = {'planner_alive': 'planner_server', 'bt_navigator_alive': 'bt_navigator'}
_HANGS = {'controller_alive': Server.CONTROLLER, 'planner_answers': Server.PLANNER}


class Controls:
    """The parameters that an operator may set at any time, each true or false.

    Args:
        node: Declares them.
        servers: The servers to pause, kill or hang.
        actions: Actions of these servers.
        lifecycle: Lifecycle of these servers.
        now_s: Returns the time [s].
        planner_alive: Whether the planner server is alive at the start.
    """

    def __init__(self, node: Node, servers: Servers, actions: Actions, lifecycle: Lifecycle,
                 now_s: Callable[[], float], planner_alive: bool) -> None:
        self._servers, self._actions, self._now_s = servers, actions, now_s
        self._lifecycle = lifecycle
        defaults = {'paused': False, 'planner_alive': planner_alive, 'bt_navigator_alive': True,
                    'controller_alive': True, 'planner_answers': True}
        self._values = dict(defaults)
        for name, default in defaults.items():
            self._values[name] = bool(node.declare_parameter(
                name, default, ParameterDescriptor(description=_DESCRIPTIONS[name])).value)
        node.add_on_set_parameters_callback(self._on_set)
        if not planner_alive:
            lifecycle.silent.add(_KILLED['planner_alive'])
        for name, default in defaults.items():
            if self._values[name] != default:
                self._obey(name, self._values[name])

    def _on_set(self, parameters: list[Parameter]) -> SetParametersResult:
        wanted = {one.name: one.value for one in parameters if one.name in _DESCRIPTIONS}
        if any(type(value) is not bool for value in wanted.values()):
            return SetParametersResult(successful=False, reason='expected true or false')
        for name, value in wanted.items():
            if self._values[name] != value:
                self._values[name] = value
                self._obey(name, value)
        return SetParametersResult(successful=True)

    def _obey(self, name: str, value: bool) -> None:
        """Pause everything, kill or hang a server, or bring it back."""
        now_s = self._now_s()
        if killed := _KILLED.get(name):
            self._lifecycle.silent ^= {killed}
        if name == 'paused':
            self._actions.carry_out(self._servers.pause(value, now_s))
        elif name == 'bt_navigator_alive':
            if not value:
                self._servers.lose_navigator()
            self._actions.answer(Action.NAVIGATE_TO_POSE, value)
        elif server := _HANGS.get(name):
            (self._servers.go_on if value else self._servers.hang)(server, now_s)
        else:
            self._actions.carry_out(self._servers.set_planner_alive(value, now_s))
            self._actions.offer(Action.COMPUTE_PATH_TO_POSE, value)
