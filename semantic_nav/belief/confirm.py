"""Whether the last look shows the target where it is held to be."""

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.documents import Hypothesis, Observation, Source, Track
from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.contracts.hypothesis import TargetStatus

#: Each last look that did not confirm asks for one agreeing sighting more, up to so many.
_MOST_DOUBTS = 3
#: Two looks from one place can err in the same way.
_VIEWS = 2


def confirms(hypothesis: Hypothesis, observation: Observation, expected: Track | None,
             config: BeliefConfig) -> str:
    """Return why a look does not confirm the target, or an empty string where it does.

    Only the model's own look counts, and only where it sees the target in the direction in which
    the track of the looks before it says that it is, and at its place, which was seen from
    elsewhere too.
    """
    if hypothesis.source is not Source.MODEL:
        return f'the model did not answer ({hypothesis.meta.vlm_error or "fallback"})'
    if hypothesis.hypothesis.target_status is not TargetStatus.VISIBLE:
        return 'the model does not see the target'
    if expected is None or observation.track is None:
        return 'the target has no track'
    if observation.pose is None or observation.target_bearing_rad is None:
        return 'the picture shows no direction to the target'
    x, y, _ = expected.position
    off = abs(wrap_angle(observation.target_bearing_rad - observation.pose.bearing_to(x, y)))
    if off > config.confirm_bearing_rad:
        return f'the model sees the target {off:.2f} rad beside its track'
    distance_m = observation.pose.distance_to(x, y)
    if distance_m > config.stand_off_m:
        return f'the target is {distance_m:.2f} m away, {config.stand_off_m:.2f} m are allowed'
    if observation.track.id != expected.id or observation.track.hits == 1:
        # A sighting that does not agree with those before begins the row anew.
        return 'the model sees the target nearer or farther than its track, or of another size'
    if observation.track.views < _VIEWS:
        return 'the target was seen from one place only'
    return ''


def hits_needed(doubts: int, config: BeliefConfig) -> int:
    """Return how many sightings in a row must agree after so many doubts."""
    return config.confirm_hits + min(doubts, _MOST_DOUBTS)
