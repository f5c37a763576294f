"""Entities that a node makes once and keeps until its end, whatever its lifecycle state."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar('T')


class Lasting:
    """Entities of a node that must not be destroyed while the node is spun.

    An event of a waitable, such as an action client or the events of a subscription, may come
    while the waitable is destroyed. rclpy's events executor then ends by SIGSEGV: it drops its
    last reference to the waitable without holding Python's lock.
    """

    def __init__(self) -> None:
        """Begin without entities."""
        self._things: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Entity under a key; it is made if there is none yet."""
        if key not in self._things:
            self._things[key] = make()
        thing: T = self._things[key]
        return thing

    def drop(self, key: Hashable) -> None:
        """Destroy the entity under a key, if there is one; see above for the risk."""
        thing = self._things.pop(key, None)
        if thing is not None:
            thing.destroy()

    def destroy(self) -> None:
        """Destroy all entities; nobody may spin the node any more."""
        for thing in self._things.values():
            thing.destroy()
        self._things.clear()
