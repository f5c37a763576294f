"""Missions from a program: `from semantic_nav.client import SemanticNavigator`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semantic_nav.client.semantic_navigator import SemanticNavigator

__all__ = ['SemanticNavigator']


def __getattr__(name: str) -> Any:
    """Import the class that needs ROS only when it is asked for."""
    if name == 'SemanticNavigator':
        from semantic_nav.client.semantic_navigator import SemanticNavigator
        return SemanticNavigator
    raise AttributeError(name)
