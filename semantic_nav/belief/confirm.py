"""Whether the last look shows the target where it is held to be."""

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.documents import Hypothesis, Observation, Track
from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.contracts.hypothesis import TargetStatus
from semantic_nav.contracts.vocabulary import Source

#: Each last look that strays asks for one view more, up to so many.
_MOST_MORE = 2


def confirms(hypothesis: Hypothesis, observation: Observation, expected: Track | None,
             config: BeliefConfig) -> str:
    """Return why a look does not confirm the target, or an empty string where it does.

    Only the model's own look counts, and only where it sees the target in the direction in which
    the track of the looks before it says that it is, and at its place.
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
    if strays(hypothesis, observation, expected):
        return 'the model sees the target nearer or farther than its track, or of another size'
    return ''


def strays(hypothesis: Hypothesis, observation: Observation, expected: Track | None) -> bool:
    """Tell whether the model sees the target elsewhere than it was held to be before."""
    track = observation.track
    if hypothesis.hypothesis.target_status is not TargetStatus.VISIBLE or (
            expected is None or track is None):
        return False
    # A sighting that does not agree with those before begins the row anew.
    return track.id != expected.id or track.hits == 1


def views_needed(stray_looks: int, config: BeliefConfig) -> int:
    """Return from how many places the target must be seen: looks from one err in the same way."""
    return config.confirm_views + min(stray_looks, _MOST_MORE)
