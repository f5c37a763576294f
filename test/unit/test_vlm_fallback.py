"""The fixed rules that stand in for the model."""

import pytest

from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.documents import Candidate, Track
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action, NavigationGoal, TargetStatus
from semantic_nav.contracts.schemas import check
from semantic_nav.contracts.vocabulary import Status
from semantic_nav.vlm.look.fallback import propose

S = 1_000_000_000
TRACK = Track('track-1', (2.0, -3.0, 0.8), 4, 2, 100 * S)
PLACES = tuple(Candidate(f'place-{n}', Pose2D(n, 0, 0), 0.9 - n / 10, 0.5, 0.5, '', (), ())
               for n in range(2))


@pytest.mark.parametrize((
    'status', 'track', 'places', 'clock_s', 'action', 'seen', 'confidence'), [
    (Status.DONE, TRACK, PLACES, 101, Action.STOP, TargetStatus.VISIBLE, 0.9),
    (Status.DONE, None, (), 101, Action.STOP, TargetStatus.VISIBLE, 0.9),
    (Status.VISIBLE, TRACK, PLACES, 159, Action.APPROACH, TargetStatus.VISIBLE, 0.6),
    (Status.VISIBLE, TRACK, PLACES, 160, Action.GOTO_NODE, TargetStatus.NOT_VISIBLE, 0.5),
    (Status.VISIBLE, TRACK, (), 160, Action.EXPLORE, TargetStatus.NOT_VISIBLE, 0.3),
    (Status.VISIBLE, None, PLACES, 101, Action.GOTO_NODE, TargetStatus.NOT_VISIBLE, 0.5),
    (Status.SEARCHING, TRACK, (), 101, Action.EXPLORE, TargetStatus.NOT_VISIBLE, 0.3),
    (Status.SEARCHING, None, PLACES, 0, Action.GOTO_NODE, TargetStatus.NOT_VISIBLE, 0.5),
    (Status.LIKELY_IN_MEMORY, None, PLACES, 0, Action.GOTO_NODE, TargetStatus.NOT_VISIBLE, 0.5),
    (Status.UNREACHABLE, None, (), 0, Action.EXPLORE, TargetStatus.NOT_VISIBLE, 0.3),
])
def test_each_rule(status: Status, track: Track | None, places: tuple[Candidate, ...],
                   clock_s: int, action: Action, seen: TargetStatus, confidence: float) -> None:
    proposal = propose(status, track, places, clock_s * S)
    assert (proposal.action, proposal.target_status, proposal.confidence) == (
        action, seen, confidence)
    assert proposal.rationale
    check('vlm_hypothesis', to_plain(proposal))
    assert proposal.navigation_goal == (
        NavigationGoal('map', 2.0, -3.0, 0.0) if action is Action.APPROACH else None)
    assert proposal.node_id == ('place-0' if action is Action.GOTO_NODE else None)
