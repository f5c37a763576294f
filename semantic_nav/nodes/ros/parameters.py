"""ROS parameters of a node, declared from the fields of its configuration."""

from collections.abc import Callable
from typing import Any, TypeVar

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import Spec, build, checked, specs

T = TypeVar('T')


def declare(node: Node, config: type, *, read_only: bool = False) -> None:
    """Declare one parameter for each field, with its description and range."""
    for name, (default, spec) in specs(config).items():
        node.declare_parameter(name, default, _descriptor(spec, read_only))


def read(node: Node, config: type[T]) -> T:
    """Configuration from the node's parameter values.

    Raises:
        ConfigError: a value has the wrong type or is out of range.
    """
    return build(config, values(node, config))


class Fixed:
    """Guard that refuses parameter changes that would have no effect, or could have none.

    Parameters are read when the node is configured. Until then each value must have its type and
    range.
    """

    def __init__(self, node: Node, configured: Callable[[], bool]) -> None:
        """Answer requests to set parameters of a node.

        Args:
            node: owner of the parameters.
            configured: tells whether the parameters have been read.
        """
        self._node, self._configured = node, configured
        self._configs: list[type] = []
        node.add_on_set_parameters_callback(self._on_set)

    def declare(self, config: type) -> None:
        """Declare the parameters of a configuration."""
        declare(self._node, config)
        self._configs.append(config)

    def unknown(self) -> list[str]:
        """Parameters given at the start, as in a file, that the node has not declared."""
        # rclpy has no public access to them.
        return sorted(set(self._node._parameter_overrides) - set(self._node._parameters))

    def _on_set(self, changes: list[Parameter]) -> SetParametersResult:
        wanted = {one.name: one.value for one in changes}
        try:
            for config in self._configs:
                self._check(config, checked(config, wanted))
        except ConfigError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _check(self, config: type, wanted: dict[str, Any]) -> None:
        """Raise ConfigError if a value in use would change."""
        if not self._configured():
            return
        used = checked(config, values(self._node, config))
        for name, value in wanted.items():
            if value != used[name]:
                raise ConfigError(
                    f'parameter {name} is read when the node is configured, and is '
                    f'{used[name]!r} until then: deactivate and clean up the node, set it, '
                    f'configure and activate it')


def values(node: Node, config: type) -> dict[str, Any]:
    """Parameter values of a configuration, unchecked."""
    return {name: node.get_parameter(name).value for name in specs(config)}


def _descriptor(spec: Spec, read_only: bool) -> ParameterDescriptor:
    """Descriptor of a parameter; its range in words only, because rclpy dies of a breach."""
    words = spec.description
    if spec.choices:
        words += f' (one of: {", ".join(spec.choices)})'
    return ParameterDescriptor(
        description=words, dynamic_typing=True, read_only=read_only,
        additional_constraints=_range_in_words(spec))


def _range_in_words(spec: Spec) -> str:
    if spec.minimum is None and spec.maximum is None:
        return ''
    low = '-inf' if spec.minimum is None else f'{spec.minimum:g}'
    high = 'inf' if spec.maximum is None else f'{spec.maximum:g}'
    return f'{low} to {high}'
