"""The fallback: a proposal by a few fixed rules if no valid reply comes."""

from collections.abc import Sequence
from typing import Final

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.documents import Candidate, Track
from semantic_nav.contracts.hypothesis import (
    Action,
    CanonicalHypothesis,
    NavigationGoal,
    TargetStatus,
)
from semantic_nav.contracts.vocabulary import Status

_MAP_FRAME: Final = 'map'
#: Age of the last sighting of the target up to which it is still approached, in s.
_TARGET_MEMORY_S = 60.0
_DONE_CONFIDENCE = 0.9
_APPROACH_CONFIDENCE = 0.6
_GOTO_CONFIDENCE = 0.5
_EXPLORE_CONFIDENCE = 0.3


def propose(status: Status, track: Track | None, candidates: Sequence[Candidate],
            clock_ns: int) -> CanonicalHypothesis:
    """The hypothesis without a model.

    Args:
        status: belief about the target.
        track: last track of the target, in the map frame; None if there is none.
        candidates: places worth a visit, best first.
        clock_ns: time on the ROS clock.
    """
    if status is Status.DONE:
        return CanonicalHypothesis(
            Action.STOP, TargetStatus.VISIBLE, _DONE_CONFIDENCE,
            rationale='Without the model: the target counts as reached, so stay.')
    if status is Status.VISIBLE and track is not None:
        age_ns = clock_ns - track.seen_ns
        if age_ns < nanoseconds(_TARGET_MEMORY_S):
            x, y, _ = track.position
            return CanonicalHypothesis(
                Action.APPROACH, TargetStatus.VISIBLE, _APPROACH_CONFIDENCE,
                navigation_goal=NavigationGoal(_MAP_FRAME, x, y, 0.0),
                rationale='Without the model: go on to where the target was last seen.')
    if candidates:
        best = candidates[0]
        return CanonicalHypothesis(
            Action.GOTO_NODE, TargetStatus.NOT_VISIBLE, _GOTO_CONFIDENCE, node_id=best.node_id,
            rationale='Without the model: visit the remembered place that fits the goal best.')
    return CanonicalHypothesis(
        Action.EXPLORE, TargetStatus.NOT_VISIBLE, _EXPLORE_CONFIDENCE,
        rationale='Without the model: nothing remembered fits the goal, so look around.')
