"""Targets that gave way to another sighting: they are held until that one comes to nothing.

A model that makes a target up for one look must not make the robot forget the true one.
"""

from collections.abc import Sequence

from semantic_nav.contracts.documents import Point
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.track import TargetTrack

#: From so many places a target must have been seen to be held: what is made up lies somewhere
#: else each time.
_LEAST_VIEWS = 2


def held(aside: Sequence[TargetTrack], before: TargetTrack | None,
         now: TargetTrack | None) -> tuple[TargetTrack, ...]:
    """Return the tracks set aside once another one has taken the place of the track in hand."""
    if before is None or now is None or before.id == now.id:
        return tuple(aside)
    worth = (before,) if before.sure and len(before.views) >= _LEAST_VIEWS else ()
    return (*(one for one in aside if one.id != now.id), *worth)


def at(position: Point, aside: Sequence[TargetTrack],
       config: VerifierConfig) -> TargetTrack | None:
    """Return the track set aside that a sighting belongs to."""
    return next((one for one in aside if one.distance_to(position) <= config.track_merge_m), None)
