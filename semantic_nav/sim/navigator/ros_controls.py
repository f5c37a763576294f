"""What an operator can do to the navigator while it runs, as parameters (needs ROS)."""

from __future__ import annotations

from collections.abc import Callable

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

_DESCRIPTIONS = {
    'paused': 'as after PAUSE of the lifecycle manager: ends every goal and rejects new ones',
    'planner_alive': 'false: as if the process of the planner server had been killed',
    'bt_navigator_alive': 'false: as if the process of bt_navigator had been killed; what it had '
                          'the controller follow is followed to its end',
    'controller_alive': 'false: as if the controller server hung: the bond breaks, and nothing '
                        'is active until no server hangs any more',
    'planner_answers': 'false: as if the planner server hung: the robot follows the path it has, '
                       'then as with controller_alive'}


class Controls:
    """The parameters that an operator may set at any time, each true or false.

    Args:
        node: Declares them.
        planner_alive: How the planner begins.
        changed: Told the name and the value of whatever was set to another value.
    """

    def __init__(self, node: Node, planner_alive: bool,
                 changed: Callable[[str, bool], None]) -> None:
        defaults = {'paused': False, 'planner_alive': planner_alive, 'bt_navigator_alive': True,
                    'controller_alive': True, 'planner_answers': True}
        self._values = dict(defaults)
        self._changed = changed
        for name, default in defaults.items():
            self._values[name] = bool(node.declare_parameter(
                name, default, ParameterDescriptor(description=_DESCRIPTIONS[name])).value)
        node.add_on_set_parameters_callback(self._on_set)
        for name, default in defaults.items():
            if self._values[name] != default:
                changed(name, self._values[name])

    def _on_set(self, parameters: list[Parameter]) -> SetParametersResult:
        wanted = {one.name: one.value for one in parameters if one.name in _DESCRIPTIONS}
        if any(type(value) is not bool for value in wanted.values()):
            return SetParametersResult(successful=False, reason='expected true or false')
        for name, value in wanted.items():
            if self._values[name] != value:
                self._values[name] = value
                self._changed(name, value)
        return SetParametersResult(successful=True)
