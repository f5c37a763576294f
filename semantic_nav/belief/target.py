"""What the belief remembers of targets: the one that it goes after, and those that it rejected."""

from dataclasses import dataclass

from semantic_nav.contracts.documents import Track


@dataclass(frozen=True)
class Pursuit:
    """What came of going after the track in hand; each track begins with none of it.

    Attributes:
        reached: the robot was at a stand-off before it.
        other_stand_offs: how often the last look was repeated from elsewhere.
        no_ways: how often no way to it was found.
        failure: why the last act towards it came to nothing; empty again once it is seen again.
        asked_last: its way was asked for when nothing else was left to look at.
    """

    reached: bool = False
    other_stand_offs: int = 0
    no_ways: int = 0
    failure: str = ''
    asked_last: bool = False


@dataclass(frozen=True)
class Rejected:
    """A target that was not confirmed.

    Attributes:
        track: where it was held to be, and how much evidence it had.
        why: it was not, in words.
    """

    track: Track
    why: str


def place_of(track: Track) -> str:
    """Return where a target is held to be, in words."""
    x, y, _ = track.position
    return f'({x:.2f}, {y:.2f})'
