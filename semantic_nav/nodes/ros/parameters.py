"""ROS parameters of a node, declared from the fields of its configuration."""

from typing import Any, TypeVar

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from semantic_nav.contracts.parameters import Spec, build, specs

T = TypeVar('T')


def declare(node: Node, config: type, *, read_only: bool = False) -> None:
    """Declare one parameter for each field, with its description and range."""
    for name, (default, spec) in specs(config).items():
        node.declare_parameter(name, default, _descriptor(spec, read_only))


def read(node: Node, config: type[T]) -> T:
    """Return the configuration of the node's parameter values.

    Raises:
        ConfigError: a value is of the wrong type or out of range.
    """
    return build(config, values(node, config))


def values(node: Node, config: type) -> dict[str, Any]:
    """Return the node's values of a configuration's parameters, unchecked."""
    return {name: node.get_parameter(name).value for name in specs(config)}


def _descriptor(spec: Spec, read_only: bool) -> ParameterDescriptor:
    """Describe a parameter; its range in words only, for rclpy would die of a breach."""
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
