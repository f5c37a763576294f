"""What a node makes once and keeps until its end, whatever its lifecycle."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar('T')


class Lasting:
    """Things of a node that may not be destroyed while it is spun.

    Of what rclpy calls a waitable, as an action client or the events of a subscription, an event
    may come while it is destroyed. Its events executor then ends by SIGSEGV: it lets go of the
    last that it holds of the waitable without Python's lock.
    """

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._things: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept under a key; it is made where nothing is yet."""
        if key not in self._things:
            self._things[key] = make()
        thing: T = self._things[key]
        return thing

    def drop(self, key: Hashable) -> None:
        """Destroy what is kept under a key, if anything is; see above for what that risks."""
        thing = self._things.pop(key, None)
        if thing is not None:
            thing.destroy()

    def destroy(self) -> None:
        """Destroy all; nobody spins the node any more."""
        for thing in self._things.values():
            thing.destroy()
        self._things.clear()
