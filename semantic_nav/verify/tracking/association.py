"""Data association: a sighting belongs to the current track, to a suspended one, or to a new one.

The model may invent a target in one look, or draw its box around something beside it. The robot
must not forget the true target for that. So a track that gives way to another sighting is
suspended and kept until that one fails. A suspended track that is seen again keeps its id.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.tracking import track as tracks
from semantic_nav.verify.tracking.track import TargetTrack

#: Most suspended tracks. Founded ones are kept first, then the newest.
_MOST = 8

#: The current track and the suspended ones, newest last.
Held = tuple[TargetTrack, tuple[TargetTrack, ...]]
Merge = Callable[[TargetTrack], TargetTrack]
Begin = Callable[[], TargetTrack]


def sighted(track: TargetTrack | None, aside: Sequence[TargetTrack], sighting: Grounded,
            robot: Pose2D, map_T_odom: Transform | None, config: VerifierConfig,
            merge: Merge, begin: Begin) -> Held:
    """The tracks after a sighting.

    Args:
        track: the current one; None for none.
        aside: the suspended ones.
        sighting: the new sighting.
        robot: its pose, in the map frame.
        map_T_odom: the correction of the odometry.
        config: distances and tolerances of tracks.
        merge: returns a track with the sighting.
        begin: returns a new track that begins with it.
    """
    if track is None or (not tracks.goes_on(track, sighting)
                         and track.distance_to(sighting.position) > config.track_merge_m
                         and (track.sure or sighting.provisional)):
        known = _at(sighting.position, aside, config)
        held = (track,) if track is not None and track.sure else ()
        left = _most((*(one for one in aside if one is not known), *held))
        # The sighting may be of an object beside the known track, so it is associated again.
        return (begin(), left) if known is None else sighted(
            known, left, sighting, robot, map_T_odom, config, merge, begin)
    if sighting.rays or not track.sure or (
            tracks.agreeing(track, sighting, robot, config, map_T_odom) is not None):
        return merge(track), tuple(aside)
    beside = next((one for one in aside if tracks.agreeing(
        one, sighting, robot, config, map_T_odom) is not None), None)
    now = begin() if beside is None else merge(beside)
    left = tuple(one for one in aside if one is not beside)
    if len(now.views) > len(track.views):
        return now, _most((*left, track))
    if not track.is_founded:
        # The sighting takes over the id of the current track, to which the robot already drives.
        return merge(track), _most((*left, replace(track, id=now.id)))
    return merge(track), _most((*left, now))


def _most(aside: tuple[TargetTrack, ...]) -> tuple[TargetTrack, ...]:
    """The suspended tracks that are kept, oldest first."""
    kept = sorted(range(len(aside)), key=lambda number: (aside[number].is_founded, number))
    return tuple(aside[number] for number in sorted(kept[-_MOST:]))


def _at(position: Point, aside: Sequence[TargetTrack],
        config: VerifierConfig) -> TargetTrack | None:
    """The suspended track nearest to a sighting; None if none is near enough."""
    near = (one for one in aside if one.distance_to(position) <= config.track_merge_m)
    return min(near, key=lambda one: one.distance_to(position), default=None)
