"""Targets that belief has rejected, and when what is seen at their places counts again."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import Point, RejectedTarget
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding import Grounded
from semantic_nav.verify.track import TargetTrack

#: A model errs in the same way from places nearer to each other than this, in metres.
_ELSEWHERE_M = 0.5


@dataclass(frozen=True)
class Doubt:
    """A target that was rejected.

    It counts again once it was surely seen from more places than before, none of them one of
    those from which it was seen, or looked at in vain, before.

    Attributes:
        track_id: the track that it was.
        position: where that was held to be, in the map frame.
        seen: from how many places it had been seen; at least one.
        before: poses of the robot from which it was seen, or looked at to confirm it, before.
        since: poses of the robot at sure sightings since then, as far as they lie apart.
    """

    track_id: str
    position: Point
    seen: int
    before: tuple[Pose2D, ...]
    since: tuple[Pose2D, ...] = ()

    @property
    def lifted(self) -> bool:
        """Tell whether the evidence is better than when it was rejected."""
        return len(self.since) > self.seen

    def seen_again(self, sighting: Grounded, robot: Pose2D) -> 'Doubt':
        """Return it after a sighting."""
        if sighting.provisional or any(
                robot.distance_to(one.x, one.y) < _ELSEWHERE_M
                for one in (*self.before, *self.since)):
            return self
        return replace(self, since=(*self.since, robot))


def rejecting(doubts: tuple[Doubt, ...], rejected: Sequence[RejectedTarget],
              track: TargetTrack | None, stand_offs: tuple[Pose2D, ...]) -> tuple[Doubt, ...]:
    """Return the doubts of a goal with those that belief has come to.

    Args:
        doubts: known already.
        rejected: all that belief has rejected for the goal, those known already too.
        track: where the target is held to be; may be one of the rejected.
        stand_offs: poses of the robot from which a target was looked at to confirm it.
    """
    known = {doubt.track_id for doubt in doubts}
    views = {track.id: track.views} if track is not None else {}
    return (*doubts, *(
        Doubt(one.track_id, one.position, max(1, len(views.get(one.track_id, ()))),
              (*views.get(one.track_id, ()), *stand_offs))
        for one in rejected if one.track_id not in known))


def doubt_at(position: Point, doubts: Sequence[Doubt], track: TargetTrack | None,
             config: VerifierConfig) -> Doubt | None:
    """Return why a sighting at a place does not count; None where it does.

    What lies near to the track is the track's, whatever was rejected beside it.
    """
    if track is not None and track.distance_to(position) <= config.track_merge_m:
        return None
    return next((doubt for doubt in doubts if not doubt.lifted and (
        math.dist(doubt.position, position) <= config.track_merge_m)), None)
