"""Targets that belief has rejected, and when what is seen at their places counts again."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import Point, RejectedTarget
from semantic_nav.contracts.geometry import Pose2D, Transform, moved, moved_pose
from semantic_nav.explore.sight import APART_M
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.tracking import track as tracks
from semantic_nav.verify.tracking.track import TargetTrack

#: From so many places a target must be seen that was rejected, and from so many more each time.
#: Those of before count as well, where no look has missed it, but for one: it must be seen again.
_PLACES = 2
#: So much nearer, as a share, a target is another sight.
_NEARER = 0.5


@dataclass(frozen=True)
class Doubt:
    """A target that was rejected.

    It counts again once it was surely seen from places enough, none of them one of before, or
    from half the distance.

    Attributes:
        track_id: the track that it was.
        position: where that was held to be, in the map frame.
        needed: from how many places it must be seen.
        track: the track itself, with the poses from which it was seen before; None where nobody
            knows it any more.
        since: poses of the robot at sure sightings since then, as far as they lie apart.
        growing: the newest sighting says that one from elsewhere may lift it.
    """

    track_id: str
    position: Point
    needed: int
    track: TargetTrack | None
    since: tuple[Pose2D, ...] = ()
    growing: bool = False

    @property
    def before(self) -> tuple[Pose2D, ...]:
        """Return the poses of the robot from which it was seen before.

        The last one may lie too near to another to be a view of its own.
        """
        if self.track is None:
            return ()
        return (*self.track.views, Pose2D(*self.track.seen_from, 0.0))

    @property
    def lifted(self) -> bool:
        """Tell whether the evidence is better than when it was rejected."""
        return len(self.since) >= self.needed or any(self._is_nearer(pose) for pose in self.since)

    def seen_again(self, sighting: Grounded, robot: Pose2D) -> 'Doubt':
        """Return it after a sighting."""
        apart = all(robot.distance_to(one.x, one.y) >= APART_M
                    for one in (*self.before, *self.since))
        if sighting.provisional:
            return replace(self, growing=False)
        if not (apart or self._is_nearer(robot)):
            # What no look has missed was looked for from where something hides it.
            return replace(self, growing=self.track is not None and not self.track.missed_from)
        return replace(self, since=(*self.since, robot), growing=True)

    def displaced(self, new_T_old: Transform) -> 'Doubt':
        """Return it after the localisation has moved the map under the robot."""
        return replace(
            self, position=moved(new_T_old, self.position),
            track=self.track and tracks.displaced(self.track, new_T_old),
            since=tuple(moved_pose(new_T_old, pose) for pose in self.since))

    def following(self, corrections: Sequence[Transform], map_T_odom: Transform) -> 'Doubt':
        """Return it where its track is held to be after the localisation crept."""
        track = self.track
        if track is None or track.map_T_odom is None or track.map_T_odom not in corrections:
            return self
        return replace(self.displaced(map_T_odom @ track.map_T_odom.inverse()),
                       track=tracks.following(track, corrections, map_T_odom))

    def _is_nearer(self, robot: Pose2D) -> bool:
        x, y, _ = self.position
        nearest_m = min((pose.distance_to(x, y) for pose in self.before), default=0.0)
        return robot.distance_to(x, y) <= _NEARER * nearest_m


def rejecting(doubts: tuple[Doubt, ...], rejected: Sequence[RejectedTarget],
              tracks: Sequence[TargetTrack | None],
              config: VerifierConfig) -> tuple[Doubt, ...]:
    """Return the doubts of a goal with those that belief has come to.

    Args:
        doubts: known already.
        rejected: all that belief has rejected for the goal, those known already too.
        tracks: where the target is held to be, or was; the rejected may be among them.
        config: says how near to each other two of them are the same.
    """
    known = {doubt.track_id for doubt in doubts}
    held = {track.id: track for track in tracks if track is not None}
    for one in rejected:
        if one.track_id not in known:
            times = 1 + sum(math.dist(doubt.position, one.position) <= config.track_merge_m
                            for doubt in doubts)
            track = held.get(one.track_id)
            doubts = (*doubts, Doubt(one.track_id, one.position,
                                     _PLACES * times - _places_left(track), track))
    return doubts


def _places_left(track: TargetTrack | None) -> int:
    """Return how many of the places from which a target was seen count after it was rejected.

    Where no look at its place has missed it, it was hidden from the stand-offs, or none was in
    reach: what was seen of it before is as good as it was.
    """
    return 0 if track is None or track.missed_from else min(len(track.views), _PLACES - 1)


def doubt_at(position: Point, doubts: Sequence[Doubt], track: TargetTrack | None,
             config: VerifierConfig) -> Doubt | None:
    """Return why a sighting at a place does not count; None where it does.

    What lies near to the track is the track's, whatever was rejected beside it.
    """
    if track is not None and track.distance_to(position) <= config.track_merge_m:
        return None
    return next((doubt for doubt in doubts if not doubt.lifted and (
        math.dist(doubt.position, position) <= config.track_merge_m)), None)
