"""Which target a sighting is one of: that in hand, one that was set aside, or another one.

A model that makes a target up for one look, or draws its box around what lies beside it, must not
make the robot forget the true one: what gives way to another sighting is set aside, and held until
that one comes to nothing. What is seen again in its turn has its name yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.tracking import track as tracks
from semantic_nav.verify.tracking.track import TargetTrack

#: So many are held: those that are founded, the newest first.
_MOST = 8

#: The target in hand, and those set aside, the newest last.
Held = tuple[TargetTrack, tuple[TargetTrack, ...]]
Merge = Callable[[TargetTrack], TargetTrack]
Begin = Callable[[], TargetTrack]


def sighted(track: TargetTrack | None, aside: Sequence[TargetTrack], sighting: Grounded,
            robot: Pose2D, map_T_odom: Transform | None, config: VerifierConfig,
            merge: Merge, begin: Begin) -> Held:
    """Return the targets after a sighting.

    Args:
        track: in hand; None for none.
        aside: those set aside.
        sighting: the new one.
        robot: its pose, in the map frame.
        map_T_odom: the correction of the odometry.
        config: says what is near.
        merge: returns a track with the sighting.
        begin: returns another one that begins with it.
    """
    if track is None or (not tracks.goes_on(track, sighting)
                         and track.distance_to(sighting.position) > config.track_merge_m
                         and (track.sure or sighting.provisional)):
        known = _at(sighting.position, aside, config)
        held = (track,) if track is not None and track.sure else ()
        left = _most((*(one for one in aside if one is not known), *held))
        # It may be of what lies beside that one.
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
        # What is seen beside it takes its place, and its name: it is gone to already.
        return merge(track), _most((*left, replace(track, id=now.id)))
    return merge(track), _most((*left, now))


def _most(aside: tuple[TargetTrack, ...]) -> tuple[TargetTrack, ...]:
    """Return those that are held, in the order in which they came."""
    kept = sorted(range(len(aside)), key=lambda number: (aside[number].is_founded, number))
    return tuple(aside[number] for number in sorted(kept[-_MOST:]))


def _at(position: Point, aside: Sequence[TargetTrack],
        config: VerifierConfig) -> TargetTrack | None:
    """Return the track set aside that lies nearest to a sighting, and near enough."""
    near = (one for one in aside if one.distance_to(position) <= config.track_merge_m)
    return min(near, key=lambda one: one.distance_to(position), default=None)
