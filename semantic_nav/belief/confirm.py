"""Confirmation of the target by the last look."""

import math
from collections.abc import Iterable

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.documents import (
    GroundedObject,
    Hypothesis,
    Observation,
    Point,
    Track,
)
from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.contracts.hypothesis import TargetStatus
from semantic_nav.contracts.vocabulary import Source

#: Last looks without the target that each view of it is worth.
_LOOKS_A_VIEW = 2
#: Sightings in a row that agree too often to agree by chance.
_ROW = 3
#: Distance within which two finds are the same thing, in m.
_SAME_THING_M = 0.5


def confirms(hypothesis: Hypothesis, observation: Observation, expected: Track | None,
             remembered: Iterable[Point], config: BeliefConfig) -> str:
    """The reason why a look does not confirm the target; empty if it does.

    Only the model's own look counts. It must see the target in the direction of the track that
    the looks before it gave, and must itself measure it there, near the robot. A target that is
    cut off by the picture's edge counts, as it is near. A look at a wardrobe may show another part
    of it. An unclear look counts if the target was surely seen there, or found there by an earlier
    mission.
    """
    if hypothesis.source is not Source.MODEL:
        return f'the model did not answer ({hypothesis.meta.vlm_error or "fallback"})'
    if hypothesis.hypothesis.target_status is not TargetStatus.VISIBLE:
        return 'the model does not see the target'
    if expected is None or observation.track is None:
        return 'the target has no track'
    if observation.pose is None or observation.target_bearing_rad is None:
        return 'the picture shows no direction to the target'
    sighting = sighting_of(observation)
    if sighting is None:
        return f'the look does not tell where the target is: {observation.ungrounded_reason}'
    if sighting.unclear and not expected.upholds(sighting.position) and not found_before(
            sighting.position, expected.deep_m, remembered):
        return 'the box shows several things, and does not tell which of them is the target'
    for held, place in (('its track', expected.position), ('its depth', sighting.position)):
        bearing_rad = observation.pose.bearing_to(*place[:2])
        off = abs(wrap_angle(observation.target_bearing_rad - bearing_rad))
        if off > bearing_slack_rad(observation, sighting, config):
            return f'the model sees the target {off:.2f} rad beside {held}'
    distance_m = max(observation.pose.distance_to(*place[:2]) for place in (
        expected.position, sighting.position)) - observation.track.deep_m
    if distance_m > config.stand_off_m:
        return f'the target is {distance_m:.2f} m away, {config.stand_off_m:.2f} m are allowed'
    if strays(hypothesis, observation, expected):
        return 'the model sees the target nearer or farther than its track, or of another size'
    return ''


def sighting_of(observation: Observation) -> GroundedObject | None:
    """A look's sighting of the target; None if it has none, or one without a position."""
    return next((one for one in observation.objects if one.is_target), None)


def bearing_slack_rad(observation: Observation, sighting: GroundedObject,
                      config: BeliefConfig) -> float:
    """Allowed angle between the target's position and the middle of its box, in rad.

    A large target may be anywhere in its box.
    """
    if observation.cone is None:
        return config.confirm_bearing_rad
    half = math.tan(observation.cone.half_angle_rad)
    left, _, right, _ = sighting.box
    width_rad = math.atan((right / 500.0 - 1.0) * half) - math.atan((left / 500.0 - 1.0) * half)
    return max(config.confirm_bearing_rad, width_rad / 2.0)


def strays(hypothesis: Hypothesis, observation: Observation, expected: Track | None) -> bool:
    """Tell whether the model sees the target away from its earlier track."""
    track = observation.track
    if hypothesis.hypothesis.target_status is not TargetStatus.VISIBLE or (
            expected is None or track is None):
        return False
    # A sighting that does not agree with those before ends the row, or starts a new one.
    return track.id != expected.id or not track.hits or track.hits == 1 <= expected.hits


def found_before(position: Point, deep_m: float, remembered: Iterable[Point]) -> bool:
    """Tell whether a sighting is what an earlier mission for the same words found.

    Args:
        position: of the sighting, in the map frame.
        deep_m: how far the thing reaches along the line of sight.
        remembered: positions at which earlier missions found their target.
    """
    return any(math.dist(at[:2], position[:2]) <= max(_SAME_THING_M, deep_m)
               for at in remembered)


def views_needed(track: Track, strayed: bool, remembered: Iterable[Point],
                 config: BeliefConfig) -> int:
    """Number of viewpoints that a target needs, as looks from one viewpoint share their errors.

    One more if a last look saw it elsewhere: two made-up boxes may agree by chance. A row of them
    does not, and in a corner there may be no third viewpoint. One fewer if an earlier mission
    found the same thing: its looks had other errors.

    Args:
        track: of the target.
        strayed: a last look saw it elsewhere.
        remembered: positions at which earlier missions for the same words found their target.
        config: of the belief.
    """
    views = config.confirm_views + (strayed and track.hits < _ROW)
    return max(1, views - found_before(track.position, track.deep_m, remembered))


def looks_left(track: Track, *, shown: bool, config: BeliefConfig) -> int:
    """Number of further last looks that an unconfirmed target is worth.

    A look from a stand-off that does not show the target is evidence against it, even if nobody
    knows whether its place was in view. Each view that agreed outweighs two such misses. Once a
    last look has shown the target, all retries are allowed: a last look shows a thing that is not
    there in one of ten at most.
    """
    return config.confirm_retries if shown else min(
        config.confirm_retries, _LOOKS_A_VIEW * max(1, track.views))
