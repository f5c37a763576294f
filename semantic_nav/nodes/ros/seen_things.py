"""Which things were seen since the node started: what people look at, and nothing decides by."""

from collections.abc import Iterable

from semantic_nav.contracts.documents import GroundedObject

#: Of more the newest are kept.
_MOST = 200
#: A thing of the same name so near is the same one, in metres.
_SAME_M = 0.4


class SeenThings:
    """The newest sighting of each thing."""

    def __init__(self) -> None:
        """Begin without any."""
        self._things: list[GroundedObject] = []

    def take(self, seen: Iterable[GroundedObject]) -> None:
        """Add things, or where they are now."""
        for thing in seen:
            self._things = [one for one in self._things if not _same(one, thing)]
            self._things.append(thing)
        del self._things[:-_MOST]

    def newest(self) -> tuple[GroundedObject, ...]:
        """Return them, the newest last."""
        return tuple(self._things)


def _same(one: GroundedObject, other: GroundedObject) -> bool:
    (x, y, _), (other_x, other_y, _) = one.position, other.position
    return one.name == other.name and (
        (x - other_x)**2 + (y - other_y)**2 <= _SAME_M * _SAME_M)
