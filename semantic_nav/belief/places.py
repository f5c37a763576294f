"""Remembered places that are no use to go to: they are not offered for some time."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from semantic_nav.contracts.vocabulary import Code

#: Refusals of a place that is out of reach or was visited.
LEFT_OUT_CODES = frozenset({
    Code.OUT_OF_MAP, Code.UNKNOWN_SPACE, Code.KEEPOUT, Code.COLLISION_DETECTED,
    Code.UNREACHABLE, Code.TOO_FAR, Code.PATH_INVALID, Code.REPEATED_FAILURE,
    Code.SKIPPED})


@dataclass(frozen=True)
class LeftOut:
    """A remembered place to which the robot was sent in vain.

    Attributes:
        node_id: the place.
        times: number of tries.
        until_ns: end of the time in which it is not offered, on the steady clock.
    """

    node_id: str
    times: int
    until_ns: int

    def shifted(self, by_ns: int) -> 'LeftOut':
        """The place after a time span in which the mission rested."""
        return replace(self, until_ns=self.until_ns + by_ns)


def tried_in_vain(places: Iterable[LeftOut], node_id: str, steady_ns: int,
                  pause_ns: int) -> tuple[LeftOut, ...]:
    """The places, one of them tried in vain: each further try leaves it out for longer."""
    places = tuple(places)
    times = 1 + sum(one.times for one in places if one.node_id == node_id)
    return (*(one for one in places if one.node_id != node_id),
            LeftOut(node_id, times, steady_ns + pause_ns * times))


def not_offered(places: Iterable[LeftOut], steady_ns: int) -> tuple[str, ...]:
    """The places that are not offered now."""
    return tuple(one.node_id for one in places if steady_ns < one.until_ns)
