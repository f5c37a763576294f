"""Targets that the belief remembers: the pursued one, and those that it rejected."""

from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import Track


def _later(steady_ns: int | None, by_ns: int) -> int | None:
    return None if steady_ns is None else steady_ns + by_ns


@dataclass(frozen=True)
class Pursuit:
    """The acts towards the track in hand, and their success; each track begins with none.

    Attributes:
        reached: the robot was at a stand-off of it.
        other_stand_offs: number of last looks that were repeated from elsewhere.
        shown: a last look showed the target, wherever.
        strayed: a last look showed it away from its track.
        no_way_ns: time of the first failure to find a way to it, on the steady clock; None before.
        failures: unsuccessful acts towards it in a row, since its last sighting.
        failure: reason of the last of them.
        again_ns: time from which an act towards it is allowed again, on the steady clock; None for
            any time.
        asked_last: a way to it was requested when nothing else was left to look at.
        once_more: it was rejected before, and is visited for the last time.
    """

    reached: bool = False
    other_stand_offs: int = 0
    shown: bool = False
    strayed: bool = False
    no_way_ns: int | None = None
    failures: int = 0
    failure: str = ''
    again_ns: int | None = None
    asked_last: bool = False
    once_more: bool = False

    def in_vain(self, failure: str, steady_ns: int, pause_ns: int) -> 'Pursuit':
        """The pursuit after an unsuccessful act; the pause grows with each in a row."""
        failures = self.failures + 1
        return replace(self, failures=failures, failure=failure,
                       again_ns=steady_ns + pause_ns * failures)

    def seen_again(self) -> 'Pursuit':
        """The pursuit after another sighting, which makes the target worth another try."""
        return replace(self, failures=0, failure='', again_ns=None)

    def may_go(self, steady_ns: int) -> bool:
        """Tell whether an act towards the target is allowed now."""
        return self.again_ns is None or steady_ns >= self.again_ns

    def shifted(self, by_ns: int) -> 'Pursuit':
        """The pursuit after a time span in which the mission rested."""
        return replace(self, no_way_ns=_later(self.no_way_ns, by_ns),
                       again_ns=_later(self.again_ns, by_ns))


@dataclass(frozen=True)
class Rejected:
    """A target that was not confirmed.

    Attributes:
        track: its last track, with the evidence for it.
        why: reason of the rejection, in words.
        disproved: its place was looked at, and does not show it.
        visited_again: the robot went there once more when nothing else was left.
        missed: the last looks from there did not show it either.
    """

    track: Track
    why: str
    disproved: bool = False
    visited_again: bool = False
    missed: bool = False

    @property
    def settled(self) -> bool:
        """Tell whether it no longer speaks against the answer that the target is not here."""
        return self.disproved or self.missed


def place_of(track: Track) -> str:
    """A track's position in the map frame, in m, in words."""
    x, y, _ = track.position
    return f'({x:.2f}, {y:.2f})'
