"""Targets rejected by belief, and the sightings after which one at their place counts again."""

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

#: Number of places from which a rejected target must be seen; each further rejection adds as many.
#: Earlier places count too if no look has missed it, but at least one must be new.
_PLACES = 2
#: Share of the earlier distance below which a sighting counts as a new view.
_NEARER = 0.5


@dataclass(frozen=True)
class Doubt:
    """A target that was rejected.

    It counts again once it was surely seen from enough new places, or from half the distance.

    Attributes:
        track_id: id of its track.
        position: believed position of that track, in the map frame.
        needed: number of new places from which it must be seen.
        track: the track, with the poses from which it was seen before; None if it is lost.
        since: poses of the robot at sure sightings since then that are apart or much nearer.
        growing: by the newest sighting, one from elsewhere may lift the doubt.
    """

    track_id: str
    position: Point
    needed: int
    track: TargetTrack | None
    since: tuple[Pose2D, ...] = ()
    growing: bool = False

    @property
    def before(self) -> tuple[Pose2D, ...]:
        """Poses of the robot from which it was seen before the rejection.

        The last one may be too near to another to be a separate view.
        """
        if self.track is None:
            return ()
        return (*self.track.views, Pose2D(*self.track.seen_from, 0.0))

    @property
    def lifted(self) -> bool:
        """Tell whether the evidence is better than when it was rejected."""
        return len(self.since) >= self.needed or any(self._is_nearer(pose) for pose in self.since)

    def seen_again(self, sighting: Grounded, robot: Pose2D) -> 'Doubt':
        """The doubt after a sighting."""
        apart = all(robot.distance_to(one.x, one.y) >= APART_M
                    for one in (*self.before, *self.since))
        if sighting.provisional:
            return replace(self, growing=False)
        if not (apart or self._is_nearer(robot)):
            # If no look has missed it, it was hidden where it was looked for.
            return replace(self, growing=self.track is not None and not self.track.missed_from)
        return replace(self, since=(*self.since, robot), growing=True)

    def reworded(self) -> 'Doubt':
        """The doubt under new words of the goal, for which no sighting so far counts."""
        return replace(self, since=(), growing=False,
                       track=self.track and replace(self.track, hits=0, views=()))

    def displaced(self, new_T_old: Transform) -> 'Doubt':
        """The doubt after a correction of the localisation."""
        return replace(
            self, position=moved(new_T_old, self.position),
            track=self.track and tracks.displaced(self.track, new_T_old),
            since=tuple(moved_pose(new_T_old, pose) for pose in self.since))

    def following(self, corrections: Sequence[Transform], map_T_odom: Transform) -> 'Doubt':
        """The doubt at the position of its track after a creep of the localisation."""
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
    """The doubts of a goal with new rejections by belief.

    Args:
        doubts: those known already.
        rejected: all rejections for the goal, including those known already.
        tracks: current and former tracks of the target; the rejected may be among them.
        config: distance below which two of them are one target.
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
    """Number of earlier viewpoints of a target that still count after its rejection.

    If no look at its place has missed it, it was hidden from the stand-offs, or none was in reach.
    Then the earlier sightings keep their worth.
    """
    return 0 if track is None or track.missed_from else min(len(track.views), _PLACES - 1)


def doubt_at(position: Point, doubts: Sequence[Doubt], track: TargetTrack | None,
             config: VerifierConfig) -> Doubt | None:
    """The doubt by which a sighting at a place does not count; None if it counts.

    A sighting near the track belongs to it, even if a target beside it was rejected.
    """
    if track is not None and track.distance_to(position) <= config.track_merge_m:
        return None
    return next((doubt for doubt in doubts if not doubt.lifted and (
        math.dist(doubt.position, position) <= config.track_merge_m)), None)
