"""Things seen since the node started, for people to look at; no decision uses them."""

from collections.abc import Iterable

from semantic_nav.contracts.documents import GroundedObject

#: Largest number of things kept: the newest.
_MOST = 200
#: Distance below which two things of one name are the same one, in m.
_SAME_M = 0.4


class SeenThings:
    """The newest sighting of each thing."""

    def __init__(self) -> None:
        """Begin without things."""
        self._things: list[GroundedObject] = []

    def take(self, seen: Iterable[GroundedObject]) -> None:
        """Add things, or their new places."""
        for thing in seen:
            self._things = [one for one in self._things if not _same(one, thing)]
            self._things.append(thing)
        del self._things[:-_MOST]

    def newest(self) -> tuple[GroundedObject, ...]:
        """All things, the newest last."""
        return tuple(self._things)


def _same(one: GroundedObject, other: GroundedObject) -> bool:
    (x, y, _), (other_x, other_y, _) = one.position, other.position
    return one.name == other.name and (
        (x - other_x)**2 + (y - other_y)**2 <= _SAME_M * _SAME_M)
