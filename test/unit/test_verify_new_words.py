"""Words that the operator adds to the goal: what was seen under the old ones may be another thing.
"""

import pytest
from builders import GOAL_ID, Block, Room, canonical, look_request, samples
from verifier_rig import MUG, START, TABLE, VerifierRig

from semantic_nav.contracts.documents import Belief, Body, Observation, RejectedTarget, Step
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Phase, StepKind

#: Stands beside the table.
OTHER = Block((4.2, 4.4), (4.0, 4.2), (0.0, 0.9))
NEW_WORDS = 'find the mug (the red one)'


def step(words: str, *rejected: RejectedTarget) -> Step:
    return Step(StepKind.LOOK, words, look=look_request(), rejected=rejected)


def belief(words: str) -> Belief:
    body = samples()['belief'].body
    assert isinstance(body, Belief)
    return Belief(**{**vars(body), 'goal_text': words, 'phase': Phase.LOOKING, 'outcome': None,
                     'stands': None})


def see(rig: VerifierRig, block: Block = MUG) -> Observation:
    return rig.see(canonical('approach', seen='visible', target_box=rig.box(block)),
                   depth=rig.depth((MUG, OTHER)))[1]


@pytest.fixture
def rig() -> VerifierRig:
    """A robot that has seen the mug from two places, and then what stands beside it."""
    rig = VerifierRig(Room(blocks=[TABLE, OTHER]))
    see(rig)
    rig.drive(Pose2D(START.x - 0.5, START.y + 1.0, -0.3))
    rig.stand()
    assert see(rig).track.views == 2
    see(rig, OTHER)
    return rig


@pytest.mark.parametrize('body', [step(NEW_WORDS), belief(NEW_WORDS)], ids=['step', 'belief'])
def test_no_track_of_the_old_words_goes_on_under_new_ones(rig: VerifierRig, body: Body) -> None:
    rig.say(body, goal=GOAL_ID)
    _, observation = rig.see(canonical('explore'), depth=rig.depth((MUG, OTHER)))
    assert observation.track is None


def test_sighting_under_new_words_is_the_first_of_its_target(rig: VerifierRig) -> None:
    before = see(rig).track
    rig.say(step(NEW_WORDS), goal=GOAL_ID)
    after = see(rig).track
    assert after.id != before.id and (before.views, after.views, after.hits) == (2, 1, 1)


def test_place_that_fitted_the_old_words_is_looked_at_again(rig: VerifierRig) -> None:
    rig.say(step(NEW_WORDS), goal=GOAL_ID)
    places = rig.core._findings.unsettled
    assert sorted(round(y, 1) for _, y in places) == [3.0, 4.1]


def test_rejected_target_that_is_taken_up_again_was_not_seen_under_new_words(
        rig: VerifierRig) -> None:
    track = see(rig).track
    rejected = RejectedTarget(track.id, track.position)
    rig.say(step('find the mug', rejected), goal=GOAL_ID)
    rig.say(step(NEW_WORDS, rejected), goal=GOAL_ID)
    findings = rig.core._findings.without((), rig.config).taking_up(track.id)
    assert findings.track is not None and findings.track.views == ()


def test_same_words_change_nothing(rig: VerifierRig) -> None:
    track = see(rig).track
    rig.say(step('find the mug'), goal=GOAL_ID)
    rig.say(belief('find the mug'), goal=GOAL_ID)
    _, observation = rig.see(canonical('explore'), depth=rig.depth((MUG, OTHER)))
    assert observation.track == track
