"""What an operator can do to the navigator while it runs, as parameters (needs ROS)."""

from __future__ import annotations

from collections.abc import Callable

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

_DESCRIPTIONS = {
    'paused': 'as after PAUSE of the lifecycle manager: ends every goal and rejects new ones',
    'planner_alive': 'false: as if the process of the planner server had been killed'}


class Controls:
    """The parameters `paused` and `planner_alive`, which can be set at any time.

    Args:
        node: Declares them.
        planner_alive: How the planner begins.
        changed: Told whenever one was set to another value.

    Attributes:
        paused, planner_alive: As last set.
    """

    def __init__(self, node: Node, planner_alive: bool, changed: Callable[[], None]) -> None:
        def declared(name: str, default: bool) -> bool:
            return bool(node.declare_parameter(
                name, default, ParameterDescriptor(description=_DESCRIPTIONS[name])).value)

        self.paused = declared('paused', False)
        self.planner_alive = declared('planner_alive', planner_alive)
        self._changed = changed
        node.add_on_set_parameters_callback(self._on_set)

    def _on_set(self, parameters: list[Parameter]) -> SetParametersResult:
        wanted = {one.name: one.value for one in parameters if one.name in _DESCRIPTIONS}
        if any(type(value) is not bool for value in wanted.values()):
            return SetParametersResult(successful=False, reason='expected true or false')
        before = (self.paused, self.planner_alive)
        self.paused = wanted.get('paused', self.paused)
        self.planner_alive = wanted.get('planner_alive', self.planner_alive)
        if (self.paused, self.planner_alive) != before:
            self._changed()
        return SetParametersResult(successful=True)
