"""Namespaces of robots on command lines."""

from rclpy.exceptions import InvalidNamespaceException
from rclpy.validate_namespace import validate_namespace

from semantic_nav.contracts.errors import ConfigError


def namespace_of(words: str) -> str:
    """A namespace without the slashes around it.

    Raises:
        ConfigError: ROS would refuse it.
    """
    namespace = words.strip('/')
    try:
        validate_namespace(f'/{namespace}')
    except InvalidNamespaceException as error:
        why = str(error).splitlines()[0].removeprefix('Invalid namespace: ').rstrip(':')
        raise ConfigError(f'argument --namespace: {namespace!r} is refused: {why}') from error
    return namespace
