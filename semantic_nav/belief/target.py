"""What the belief remembers of targets: the one that it goes after, and those that it rejected."""

from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import Track


def _later(steady_ns: int | None, by_ns: int) -> int | None:
    return None if steady_ns is None else steady_ns + by_ns


@dataclass(frozen=True)
class Pursuit:
    """What came of going after the track in hand; each track begins with none of it.

    Attributes:
        reached: the robot was at a stand-off before it.
        other_stand_offs: how often the last look was repeated from elsewhere.
        shown: a last look showed it, wherever.
        strayed: one saw it elsewhere than it was held to be.
        no_way_ns: when no way to it was found the first time, on the steady clock; None before.
        failures: acts towards it in a row that came to nothing, since it was seen last.
        failure: why the last of them did.
        again_ns: from when on it may be gone to again, on the steady clock; None for any time.
        asked_last: its way was asked for when nothing else was left to look at.
        once_more: it was rejected before, and is gone to for the last time.
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
        """Return it after an act that came to nothing; the pause grows with each in a row."""
        failures = self.failures + 1
        return replace(self, failures=failures, failure=failure,
                       again_ns=steady_ns + pause_ns * failures)

    def seen_again(self) -> 'Pursuit':
        """Return it after another sighting, which makes the target worth another try."""
        return replace(self, failures=0, failure='', again_ns=None)

    def may_go(self, steady_ns: int) -> bool:
        """Tell whether the target may be gone to now."""
        return self.again_ns is None or steady_ns >= self.again_ns

    def shifted(self, by_ns: int) -> 'Pursuit':
        """Return it after a span in which the mission rested."""
        return replace(self, no_way_ns=_later(self.no_way_ns, by_ns),
                       again_ns=_later(self.again_ns, by_ns))


@dataclass(frozen=True)
class Rejected:
    """A target that was not confirmed.

    Attributes:
        track: where it was held to be, and how much evidence it had.
        why: it was not, in words.
        disproved: its place was looked at, and does not show it.
        visited_again: the robot went there once more when nothing else was left.
        missed: and the last looks from there did not show it.
    """

    track: Track
    why: str
    disproved: bool = False
    visited_again: bool = False
    missed: bool = False

    @property
    def settled(self) -> bool:
        """Whether it speaks no more against the answer that the target is not here."""
        return self.disproved or self.missed


def place_of(track: Track) -> str:
    """Return where a target is held to be, in words."""
    x, y, _ = track.position
    return f'({x:.2f}, {y:.2f})'
