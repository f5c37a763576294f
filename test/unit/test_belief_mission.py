"""Missions walked by hand, step by step."""

import math
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from belief_walk import APPROACH, ASK, EXPLORE, STOP, Walk, walk
from builders import (
    GOAL_ID,
    accepted,
    approach,
    candidate,
    candidates,
    canonical,
    ended,
    meta,
    observation,
    refusal,
    sighting,
    track,
)

from semantic_nav.belief.transition import RETRY_WAIT_S, WAITING_CODES
from semantic_nav.contracts.documents import (
    CandidateNode,
    Cone,
    Decision,
    Hypothesis,
    Look,
    RejectedTarget,
    RobotPose,
    Step,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    ModelAnswer,
    Outcome,
    Phase,
    Source,
    Status,
    StepKind,
)

#: A target that was seen 0.9 m straight ahead of a robot at the origin.
NEAR = track(0.9, 0.0)
FAR = track(4.0, 0.0)


def at_the_stand_off(**config: object) -> Walk:
    """Return a mission whose robot has just arrived before the target."""
    mission = walk(**config)
    mission.saw(APPROACH, track=NEAR)
    mission.verdict(accepted())
    mission.verdict(ended())
    assert mission.look.confirm
    return mission


# The straight way

def test_documents_without_coordinates_have_no_frame() -> None:
    mission = walk()
    mission.saw(EXPLORE)
    assert {one.schema for one in mission.out} == {'step', 'belief'}
    assert {one.frame_id for one in mission.out} == {''}


def test_goal_begins_with_a_look() -> None:
    mission = walk()
    (step,) = mission.new_steps
    assert step.kind is StepKind.LOOK and step.goal_text == 'find the red mug'
    assert not mission.look.confirm and not mission.look.fallback_only and not mission.look.inform
    assert mission.look.belief_target_status is Status.SEARCHING
    assert mission.look.deadline_s == 60.0 and mission.look.last_refusal is None
    belief = mission.belief
    assert (belief.phase, belief.status, belief.outcome) == (
        Phase.LOOKING, Status.SEARCHING, None)
    assert mission.step.goal_id == mission.goal_id


@pytest.mark.parametrize('order', list(permutations(['hypothesis', 'observation'])))
def test_look_ends_with_hypothesis_and_observation_in_any_order(order: tuple[str, ...]) -> None:
    mission = walk()
    step = mission.step.id
    sent = {}
    for number, part in enumerate(order):
        if part == 'hypothesis':
            sent[part] = mission.hypothesis(APPROACH, step=step)
        else:
            sent[part] = mission.observation(track=FAR, step=step)
        assert (mission.step.id == step) == (number == 0)
    assert mission.act.hypothesis_id == sent['hypothesis'].id
    assert mission.act.track_id is None
    assert mission.step.cause_id == sent['hypothesis'].id
    assert mission.belief.phase is Phase.DRIVING
    assert mission.belief.status is Status.VISIBLE


def test_whole_mission() -> None:
    mission = walk()
    mission.saw(EXPLORE)
    mission.verdict(accepted('explore'))
    mission.verdict(ended(action='explore'))
    assert not mission.look.confirm
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.verdict(ended(ActOutcome.LEG_DONE))
    assert not mission.look.confirm
    mission.saw(APPROACH, track=NEAR)
    mission.verdict(accepted())
    mission.verdict(ended())
    assert mission.look.confirm and mission.look.belief_target_status is Status.VISIBLE
    mission.saw(STOP, track=NEAR, bearing=0.1)
    belief = mission.belief
    assert (belief.status, belief.phase, belief.outcome) == (
        Status.DONE, Phase.FINISHED, Outcome.ARRIVED)
    assert mission.new_steps == [] and belief.next_action == ''
    assert belief.budgets.model_calls == 4 and belief.budgets.refusals == 0
    assert not mission.ticking
    assert mission.dropped == 0


def test_first_look_waits_for_the_memory() -> None:
    mission = walk(memory_wait_s=1.0)
    assert mission.new_steps == [] and mission.belief.phase is Phase.LOOKING
    assert mission.belief.waits
    assert mission.belief.reason == 'the memory is asked about the goal first'
    mission.remembers(candidate('place-1', score=0.9))
    assert mission.look.belief_target_status == Status.LIKELY_IN_MEMORY
    assert not mission.belief.waits
    mission.remembers(candidate('place-1', score=0.8))
    assert mission.new_steps == []


def test_memory_that_starts_last_is_waited_for_too() -> None:
    mission = Walk(memory_wait_s=5.0)
    mission.listeners('hypothesis', 'verifier')
    mission.goal()
    assert mission.belief.reason == 'waiting for hypothesis and verifier'
    mission.listeners()
    mission.tick(2.0)
    assert mission.steps == []
    mission.remembers(candidate('place-1', score=0.9))
    assert mission.look.belief_target_status == Status.LIKELY_IN_MEMORY


def test_memory_that_says_nothing_is_waited_for_no_longer_than_allowed() -> None:
    mission = walk(memory_wait_s=1.0)
    mission.tick(0.5)
    assert mission.new_steps == []
    mission.tick(0.6)
    assert mission.look.belief_target_status == Status.SEARCHING


@pytest.mark.parametrize('action', ['explore', 'rotate', 'goto_node'])
def test_arriving_elsewhere_is_no_arrival(action: str) -> None:
    mission = walk()
    mission.saw(canonical(action, rotate_rad=1.0, node_id='n'))
    mission.verdict(accepted(action))
    mission.verdict(ended(action=action))
    assert not mission.look.confirm and mission.belief.outcome is None


# The last look

@pytest.mark.parametrize('bearing', [0.0, 0.25, -0.25])
def test_target_within_15_degrees_of_its_track_confirms(bearing: float) -> None:
    mission = at_the_stand_off()
    mission.saw(APPROACH, track=NEAR, bearing=bearing)
    assert mission.belief.outcome is Outcome.ARRIVED


@pytest.mark.parametrize(('bearing', 'arrived'), [(0.35, True), (-0.35, True), (0.6, False)])
def test_large_thing_may_be_held_to_be_anywhere_in_its_box(bearing: float, arrived: bool) -> None:
    mission = at_the_stand_off()
    wide = replace(sighting(NEAR), box=(100.0, 0.0, 900.0, 1000.0))
    mission.saw(APPROACH, track=NEAR, bearing=bearing, objects=(wide,),
                cone=Cone(0.0, 0.0, 0.0, 0.6, 3.0))
    assert (mission.belief.outcome is Outcome.ARRIVED) is arrived


@pytest.mark.parametrize(('deep_m', 'arrived'), [(0.4, False), (0.6, True)])
def test_stand_off_is_measured_from_the_front_of_what_is_deep(deep_m: float,
                                                              arrived: bool) -> None:
    mission = at_the_stand_off()
    middle = replace(track(1.7, 0.0), deep_m=deep_m)
    mission.saw(APPROACH, track=middle, held=middle, bearing=0.0)
    assert (mission.belief.outcome is Outcome.ARRIVED) is arrived


@pytest.mark.parametrize(('aside_m', 'arrived'), [(0.0, True), (0.35, False)])
def test_unclear_look_confirms_what_was_surely_seen_just_there(aside_m: float,
                                                               arrived: bool) -> None:
    mission = at_the_stand_off()
    seen = sighting(track(NEAR.position[0] + aside_m), unclear=True, provisional=True)
    mission.saw(APPROACH, track=NEAR, bearing=0.0, objects=(seen,))
    assert (mission.belief.outcome is Outcome.ARRIVED) is arrived


def test_bearing_is_compared_with_the_track_of_the_looks_before() -> None:
    """The last look's own sighting cannot confirm itself."""
    mission = at_the_stand_off()
    beside = track(0.6, 0.6)
    mission.saw(APPROACH, track=beside, bearing=math.pi / 4)
    assert mission.belief.outcome is None and mission.act.track_id == beside.id


@pytest.mark.parametrize(('views', 'looks'), [(1, 3), (2, 5)])
def test_target_of_one_view_is_worth_fewer_last_looks(views: int, looks: int) -> None:
    seen = track(views=views)
    mission = walk()
    mission.saw(APPROACH, track=seen)
    for number in range(1, looks + 1):
        mission.verdict(accepted())
        mission.verdict(ended())
        mission.saw(EXPLORE, track=seen)
        assert (rejected(mission) == [seen.id]) is (number == looks)


@pytest.mark.parametrize(('bearing', 'views', 'last'), [
    (0.0, 2, True), (0.0, 1, False), (0.4, 2, False)])
def test_target_that_any_look_shows_before_the_robot_gets_its_last_look_there(
        bearing: float, views: int, last: bool) -> None:
    """The way to a stand-off failed where the robot was near enough already."""
    mission = walk()
    before = track(0.9 * math.cos(bearing), 0.9 * math.sin(bearing), views=views)
    mission.saw(APPROACH, track=before)
    mission.verdict(refusal(Code.PATH_INVALID, 'no path'))
    mission.saw(APPROACH, track=before, bearing=bearing)
    step = mission.step.body
    assert isinstance(step, Step)
    assert (step.look is not None and step.look.confirm) is last


def test_after_a_jump_the_track_is_compared_where_it_lies_now() -> None:
    mission = at_the_stand_off()
    moved = track(0.6, 0.6)
    mission.saw(APPROACH, track=moved, held=moved, bearing=math.pi / 4)
    assert mission.belief.outcome is Outcome.ARRIVED


def test_target_that_is_cut_off_by_the_picture_is_near_all_the_same() -> None:
    """A fridge is always cut off from the stand-off."""
    mission = at_the_stand_off()
    mission.saw(APPROACH, track=NEAR, bearing=0.0, objects=(sighting(NEAR, provisional=True),))
    assert mission.belief.outcome is Outcome.ARRIVED


def test_bearing_is_relative_to_the_robot_s_heading_in_the_map() -> None:
    mission = at_the_stand_off()
    mission.saw(APPROACH, track=NEAR, bearing=-math.pi / 2, pose=Pose2D(0.0, 0.0, math.pi / 2))
    assert mission.belief.outcome is Outcome.ARRIVED


DOUBTS = {
    'beside': {'proposal': APPROACH, 'bearing': 0.3},
    'not seen': {'proposal': EXPLORE, 'bearing': None},
    'ambiguous': {'proposal': canonical('stop', seen='ambiguous'), 'bearing': 0.0},
    'no bearing': {'proposal': STOP, 'bearing': None},
    'disagrees': {'proposal': APPROACH, 'bearing': 0.0, 'track': track(hits=1)},
    'too far': {'proposal': APPROACH, 'bearing': 0.0, 'pose': Pose2D(-0.5, 0.0, 0.0)},
    'no depth': {'proposal': APPROACH, 'bearing': 0.0, 'objects': (),
                 'ungrounded_reason': 'the depth picture shows nothing'},
    'depth of something else': {
        'proposal': APPROACH, 'bearing': 0.0, 'objects': (sighting(NEAR, is_target=False),)},
    'far behind': {'proposal': APPROACH, 'bearing': 0.0, 'objects': (sighting(FAR),)},
    'behind, nearer than targets are told apart': {
        'proposal': APPROACH, 'bearing': 0.0, 'objects': (sighting(track(1.3, 0.0)),)},
    'depth beside the box': {
        'proposal': APPROACH, 'bearing': 0.0, 'objects': (sighting(track(0.8, 0.4)),)},
    'unclear, and lower': {'proposal': APPROACH, 'bearing': 0.0, 'objects': (sighting(
        replace(NEAR, position=(*NEAR.position[:2], 0.4)), unclear=True, provisional=True),)},
}
#: How likely the target is here in all observations that say nothing else of it.
LIKELY = '; that it is here all the same: 10%'
GARBAGE = 'PARSE_FAIL: no object'
SILENCE = {'proposal': APPROACH, 'bearing': 0.0, 'source': Source.FALLBACK, 'error': 'timeout'}


@pytest.mark.parametrize('doubt', DOUBTS)
def test_doubt_leads_to_another_last_look_and_then_to_the_next_target(doubt: str) -> None:
    mission = at_the_stand_off(confirm_retries=1)
    mission.saw(**{'track': NEAR, **DOUBTS[doubt]})
    assert mission.act.track_id == NEAR.id and mission.act.hypothesis_id is None
    assert mission.belief.status is not Status.DONE
    mission.verdict(accepted())
    mission.verdict(ended())
    assert mission.look.confirm
    mission.saw(**{'track': NEAR, **DOUBTS[doubt]})
    assert mission.belief.outcome is None and mission.belief.status is Status.SEARCHING
    assert not mission.look.confirm
    (step,) = mission.new_steps
    assert step.rejected == (RejectedTarget(NEAR.id, DOUBTS[doubt].get('track', NEAR).position),)
    assert mission.look.last_refusal is not None
    assert mission.look.last_refusal.code is Code.NOT_CONFIRMED
    assert mission.belief.budgets.refusals == 0


def test_last_look_that_nobody_could_place_is_repeated_and_a_doubt_in_the_end() -> None:
    unplaced = {'proposal': APPROACH, 'bearing': 0.0, 'pose': None, 'track': NEAR,
                'ungrounded_reason': 'the localisation jumped'}
    mission = at_the_stand_off(confirm_retries=1)
    for _ in range(5):
        mission.saw(**unplaced)
        assert mission.new_steps == []
        assert mission.belief.reason == 'the last look has no place: the localisation jumped'
        mission.tick(2.1)
        assert mission.look.confirm
    mission.saw(**unplaced)
    assert mission.act.track_id == NEAR.id


def test_last_look_without_an_answer_is_repeated() -> None:
    mission = at_the_stand_off()
    for _ in range(3):
        mission.saw(track=NEAR, **SILENCE)
        assert mission.new_steps == [] and mission.belief.outcome is None
        assert mission.belief.reason == 'the last look had no answer of the model: timeout'
        mission.tick(2.1)
        assert mission.look.confirm
    mission.saw(APPROACH, track=NEAR, bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


def test_last_look_waits_for_the_model_as_long_as_the_mission_may_take() -> None:
    mission = at_the_stand_off(time_limit_s=300.0)
    while mission.belief.outcome is None:
        assert mission.look.confirm and mission.clock.passed_s < 310.0
        mission.saw(track=NEAR, **SILENCE)
        mission.tick(2.1)
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert 'the time is used up (300 s)' in mission.belief.reason
    assert 'the model has not answered for' in mission.belief.reason
    assert mission.belief.budgets.refusals == 0


def test_last_look_is_not_repeated_for_ever_where_the_answers_are_of_no_use() -> None:
    mission = at_the_stand_off(unusable_looks_limit=3)
    for _ in range(3):
        mission.saw(track=NEAR, proposal=APPROACH, source=Source.FALLBACK,
                    answer=ModelAnswer.REFUSED, error=GARBAGE)
        mission.tick(2.1)
    assert mission.belief.outcome is Outcome.GAVE_UP and GARBAGE in mission.belief.reason
    assert mission.stopped


def test_last_look_without_an_answer_and_without_a_track_is_a_look_again() -> None:
    mission = at_the_stand_off()
    mission.saw(track=None, **SILENCE)
    assert not mission.look.confirm and mission.belief.budgets.refusals == 0


def test_second_stand_off_may_confirm() -> None:
    mission = at_the_stand_off()
    mission.saw(EXPLORE, track=NEAR)
    mission.verdict(accepted())
    mission.verdict(ended())
    mission.saw(APPROACH, track=NEAR, bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


def seen_elsewhere(mission: Walk) -> None:
    mission.saw(APPROACH, track=track(hits=1, views=1), bearing=0.0)
    mission.verdict(accepted())
    mission.verdict(ended())


def test_target_must_be_seen_from_two_places() -> None:
    mission = at_the_stand_off(confirm_retries=0)
    mission.saw(APPROACH, track=track(views=1), bearing=0.0)
    assert mission.act.track_id == NEAR.id
    mission.verdict(accepted())
    mission.verdict(ended())
    mission.saw(APPROACH, track=NEAR, bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


def test_target_without_another_place_to_look_from_is_rejected() -> None:
    mission = at_the_stand_off()
    mission.saw(APPROACH, track=track(views=1), bearing=0.0)
    mission.verdict(of_track(refusal(Code.UNREACHABLE, 'no clear pose')))
    assert mission.belief.outcome is None and mission.belief.status is Status.SEARCHING
    assert rejected(mission) == [NEAR.id]
    assert mission.belief.reason == (
        'it was not confirmed, and the search goes on: no clear pose')
    assert [step.reason for step in mission.new_steps] == [
        'not confirmed, the search goes on: no clear pose']


def rejected(mission: Walk) -> list[str]:
    """Return the tracks that the newest step rejects."""
    step = mission.step.body
    assert isinstance(step, Step)
    return [one.track_id for one in step.rejected]


def of_track(verdict: Verdict) -> Verdict:
    """Return the answer to an act on the track."""
    return replace(verdict, hypothesis_id=None)


def rejecting(**config: Any) -> Walk:
    """Return a mission that has just rejected a target."""
    mission = at_the_stand_off(confirm_retries=0, **config)
    mission.saw(EXPLORE, track=NEAR)
    assert rejected(mission) == [NEAR.id]
    return mission


def test_house_without_another_target_names_the_one_that_was_rejected() -> None:
    mission = at_the_stand_off()
    mission.saw(EXPLORE, track=None)
    assert rejected(mission) == [NEAR.id]
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.NOT_HERE
    assert mission.belief.reason == (
        'looked everywhere: all seen; something like it was seen at (0.90, 0.00), not confirmed: '
        f'the model does not see the target{LIKELY}')


def test_target_whose_place_no_last_look_could_show_is_not_disproved() -> None:
    """The verifier holds its track yet: something hid the place from the stand-offs."""
    mission = rejecting()
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.act.track_id == NEAR.id


def test_house_of_which_nothing_was_looked_at_is_not_said_to_be_without_the_target() -> None:
    mission = walk(refusals_limit=3)
    for _ in range(3):
        mission.saw(EXPLORE, coverage=0.0)
        mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert 'NOTHING_LEFT: all seen' in mission.belief.reason


def test_house_of_which_less_than_half_was_looked_at_is_waited_for() -> None:
    mission = walk()
    mission.say(RobotPose(Pose2D(0.0, 0.0, 0.0), True, 0.0, stands=True), goal='')
    mission.saw(EXPLORE, coverage=0.4)
    for waits in (1, 2):
        mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
        assert mission.belief.outcome is None
        assert mission.belief.rejection_reason == (
            'MAP_UNAVAILABLE: no more than 40% of the reachable floor was looked at: all seen')
        mission.tick(waits * RETRY_WAIT_S + 0.1)
        assert mission.act.hypothesis_id is not None, 'the same act again, without the model'


def test_what_was_doubted_is_gone_to_before_a_house_that_was_hardly_looked_at_is_waited_for(
        ) -> None:
    mission = rejecting()
    mission.saw(EXPLORE, coverage=0.4)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.act.track_id == NEAR.id


def test_only_another_stand_off_that_is_out_of_reach_rejects_the_target() -> None:
    """What the model proposes anew is refused, and tried again."""
    mission = at_the_stand_off()
    mission.saw(APPROACH, track=NEAR, bearing=1.0)
    mission.verdict(of_track(refusal(Code.NAV_UNAVAILABLE, 'no planner')))
    mission.tick(mission.config.stale_after_s)
    mission.saw(APPROACH, track=NEAR)
    assert mission.act.hypothesis_id is not None
    mission.verdict(refusal(Code.UNREACHABLE, 'no clear pose'))
    assert rejected(mission) == [] and mission.belief.status is Status.UNREACHABLE


def going_once_more() -> Walk:
    """Return a mission that goes to what it doubted, for nothing else is left."""
    mission = at_the_stand_off()
    mission.saw(APPROACH, track=NEAR, bearing=1.0)
    mission.verdict(of_track(refusal(Code.UNREACHABLE, 'no clear pose')))
    assert rejected(mission) == [NEAR.id]
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.act.track_id == NEAR.id and rejected(mission) == []
    return mission


def test_what_was_rejected_and_not_disproved_is_gone_to_before_nothing_is_left() -> None:
    mission = going_once_more()
    mission.verdict(of_track(accepted()))
    mission.verdict(of_track(ended()))
    assert mission.look.confirm
    mission.saw(APPROACH, track=NEAR, bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


def test_what_was_rejected_and_not_disproved_may_have_been_the_target() -> None:
    mission = going_once_more()
    mission.verdict(of_track(accepted()))
    mission.verdict(of_track(ended()))
    mission.saw(APPROACH, track=NEAR, bearing=1.0)
    mission.verdict(of_track(refusal(Code.UNREACHABLE, 'no clear pose')))
    assert rejected(mission) == [NEAR.id]
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason.startswith('looked everywhere else: all seen; something like it')


def test_what_was_gone_to_once_more_and_did_not_show_is_no_ground_to_give_up() -> None:
    mission = rejecting()
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    mission.verdict(of_track(accepted()))
    mission.verdict(of_track(ended()))
    mission.saw(EXPLORE, track=NEAR)
    assert rejected(mission) == [NEAR.id]
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.NOT_HERE
    assert 'something like it was seen at (0.90, 0.00)' in mission.belief.reason


def test_target_is_asked_for_again_once_the_robot_came_nearer() -> None:
    mission = walk()
    mission.saw(EXPLORE, track=NEAR)
    nothing_left = refusal(Code.NOTHING_LEFT, 'all seen', 'explore')
    for _ in range(2):
        mission.verdict(nothing_left)
        assert mission.act.track_id == NEAR.id
        mission.verdict(of_track(accepted()))
        mission.verdict(of_track(ended(ActOutcome.LEG_DONE)))
        mission.saw(EXPLORE, track=NEAR)
    mission.verdict(nothing_left)
    mission.verdict(of_track(refusal(Code.UNREACHABLE, 'no clear pose')))
    mission.saw(EXPLORE, track=NEAR)
    mission.verdict(nothing_left)
    assert mission.belief.outcome is Outcome.GAVE_UP


def test_mission_whose_time_is_used_up_names_what_it_rejected() -> None:
    mission = rejecting(time_limit_s=60.0)
    mission.tick(61.0)
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert 'something like it was seen at (0.90, 0.00)' in mission.belief.reason


def test_later_target_is_confirmed_as_any() -> None:
    mission = rejecting()
    other = track(0.0, 0.9, id_='track-2')
    mission.saw(APPROACH, track=other)
    mission.verdict(accepted())
    mission.verdict(ended())
    assert mission.look.confirm and rejected(mission) == [NEAR.id]
    mission.saw(APPROACH, track=other, bearing=math.pi / 2)
    assert mission.belief.outcome is Outcome.ARRIVED


def test_refusals_count_since_the_last_view_that_was_reached() -> None:
    mission = walk(refusals_limit=3)
    for _ in range(2):
        for _ in range(2):
            mission.saw(APPROACH)
            mission.verdict(refusal())
        assert mission.belief.outcome is None and mission.belief.budgets.refusals == 2
        mission.saw(EXPLORE)
        mission.verdict(accepted('explore'))
        mission.verdict(ended(action='explore'))
        assert mission.belief.budgets.refusals == 0
    for _ in range(3):
        assert mission.belief.outcome is None
        mission.saw(APPROACH)
        mission.verdict(refusal())
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert '3 proposals were refused' in mission.belief.reason


def test_model_that_points_at_a_rejected_target_costs_one_look_without_it() -> None:
    mission = rejecting()
    before = mission.belief.budgets.refusals
    mission.saw(APPROACH, bearing=0.0)
    mission.verdict(refusal(Code.SKIPPED, 'it was looked at'))
    assert mission.look.fallback_only and mission.belief.budgets.refusals == before
    assert mission.belief.status is Status.SEARCHING


def test_target_that_no_look_could_confirm_is_rejected_at_once() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(out_of_the_picture(4.0))
    assert rejected(mission) == [FAR.id] and mission.belief.status is Status.SEARCHING
    assert mission.belief.budgets.refusals == 1


def test_other_target_that_no_look_could_confirm_is_only_a_refusal() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(out_of_the_picture(2.0))
    assert rejected(mission) == [] and mission.belief.status is Status.VISIBLE
    assert mission.belief.budgets.refusals == 1


def out_of_the_picture(x: float) -> Verdict:
    return Verdict('approach', 'hypothesis-1', decision=Decision(
        Code.NOT_CONFIRMED, 'too high', goal=Pose2D(x, 0.0, 0.0)))


def test_looks_that_stray_ask_for_one_more_place() -> None:
    """A model that sees targets everywhere is right by chance now and then."""
    mission = at_the_stand_off(confirm_retries=9)
    for _ in range(4):
        seen_elsewhere(mission)
    mission.saw(APPROACH, track=track(views=2), bearing=0.0)
    assert mission.act.track_id == NEAR.id
    mission.verdict(accepted())
    mission.verdict(ended())
    mission.saw(APPROACH, track=track(views=3), bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


@pytest.mark.parametrize('hits', [1, 2, 3])
def test_row_of_looks_that_agree_makes_good_for_one_that_strayed(hits: int) -> None:
    """In a corner there may be no third place."""
    mission = at_the_stand_off(confirm_retries=9)
    seen_elsewhere(mission)
    mission.saw(APPROACH, track=track(hits=hits, views=2), bearing=0.0)
    assert (mission.belief.outcome is Outcome.ARRIVED) == (hits == 3)


@pytest.mark.parametrize('shown', [False, True])
def test_target_that_a_last_look_has_shown_is_worth_more_of_them(shown: bool) -> None:
    mission = at_the_stand_off(confirm_retries=4)
    held = track(views=1)
    looks = 0
    while not rejected(mission):
        mission.saw(APPROACH if shown and not looks else EXPLORE, track=held, bearing=0.0)
        mission.verdict(accepted())
        mission.verdict(ended())
        looks += 1
    assert looks == (6 if shown else 3)


def test_looks_that_strayed_from_one_target_ask_for_no_more_of_another() -> None:
    mission = at_the_stand_off(confirm_retries=9)
    seen_elsewhere(mission)
    mission.saw(EXPLORE, track=None)
    other = track(0.9, 0.0, id_='track-2', views=1)
    mission.saw(APPROACH, track=other)
    mission.verdict(accepted())
    mission.verdict(ended())
    mission.saw(APPROACH, track=replace(other, hits=2, views=2), bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


def test_number_of_places_is_a_parameter() -> None:
    mission = at_the_stand_off(confirm_views=3)
    mission.saw(APPROACH, track=NEAR, bearing=0.0)
    assert mission.belief.outcome is None
    mission = at_the_stand_off(confirm_views=1)
    mission.saw(APPROACH, track=track(views=1), bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


def remembered(away_m: float) -> Walk:
    """Return a mission before the target; an earlier one found the same so far from there."""
    mission = walk()
    x, y, z = NEAR.position
    mission.say(candidates(replace(candidate('n', score=0.9), found_at=(x + away_m, y, z))))
    mission.saw(APPROACH, track=track(views=1))
    mission.verdict(accepted())
    mission.verdict(ended())
    mission.saw(APPROACH, track=track(views=1), bearing=0.0)
    return mission


@pytest.mark.parametrize(('nearer_m', 'arrived'), [(0.7, True), (1.0, False)])
def test_unclear_look_confirms_what_was_found_before_just_there(nearer_m: float,
                                                                arrived: bool) -> None:
    x, y, z = NEAR.position
    mission = walk()
    mission.say(candidates(replace(candidate('n', score=0.9), found_at=(x - nearer_m, y, z))))
    mission.saw(APPROACH, track=NEAR)
    mission.verdict(accepted())
    mission.verdict(ended())
    seen = sighting(track(x - 0.4, y), unclear=True, provisional=True)
    mission.saw(APPROACH, track=NEAR, bearing=0.0, objects=(seen,))
    assert (mission.belief.outcome is Outcome.ARRIVED) is arrived


def test_thing_that_is_where_it_was_found_before_is_seen_from_one_place() -> None:
    assert remembered(0.4).belief.outcome is Outcome.ARRIVED


def test_thing_elsewhere_than_it_was_found_before_is_seen_from_two_places() -> None:
    assert remembered(0.6).belief.outcome is None


@pytest.mark.parametrize('retries', [0, 2])
def test_number_of_stand_offs_is_a_parameter(retries: int) -> None:
    mission = at_the_stand_off(confirm_retries=retries)
    for _ in range(retries):
        mission.saw(EXPLORE, track=NEAR)
        mission.verdict(accepted())
        mission.verdict(ended())
    assert rejected(mission) == []
    mission.saw(EXPLORE, track=NEAR)
    assert rejected(mission) == [NEAR.id]


def test_another_target_has_another_stand_off_of_its_own() -> None:
    """The first one was imagined; the true one must not pay for it."""
    mission = at_the_stand_off()
    mission.saw(EXPLORE, track=NEAR)
    mission.verdict(accepted())
    mission.verdict(ended())
    mission.saw(EXPLORE, track=None)
    other = track(0.9, 0.0, id_='track-2')
    mission.saw(APPROACH, track=other)
    mission.verdict(accepted())
    mission.verdict(ended())
    mission.saw(EXPLORE, track=other)
    assert mission.act.track_id == other.id and mission.belief.outcome is None


def test_a_model_that_sees_targets_everywhere_is_not_followed_for_ever() -> None:
    mission = at_the_stand_off(doubts_limit=4)
    for number in range(4):
        assert mission.belief.outcome is None
        side = (-1) ** number
        mission.saw(APPROACH, track=track(0.6, side * 0.6, id_=f'track-{number + 2}'),
                    bearing=side * math.pi / 4)
        if number < 3:
            mission.verdict(accepted())
            mission.verdict(ended())
    mission.tick()
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason.startswith(
        '4 last looks did not confirm what was seen')


def test_target_lost_in_the_last_look_is_searched_for_again() -> None:
    mission = at_the_stand_off()
    mission.saw(EXPLORE, track=None)
    assert mission.belief.status is Status.SEARCHING and mission.belief.outcome is None
    assert not mission.look.confirm


def test_target_that_is_tracked_no_more_is_not_confirmed() -> None:
    """A verifier that was restarted has forgotten it, whatever the model's box says."""
    mission = at_the_stand_off()
    mission.saw(APPROACH, track=None, bearing=0.0)
    assert mission.belief.outcome is None and mission.belief.status is Status.SEARCHING
    assert not mission.look.confirm


# Stop is only a claim

def test_stop_within_the_stand_off_leads_to_the_last_look() -> None:
    mission = walk()
    mission.saw(STOP, track=NEAR)
    assert mission.look.confirm and mission.belief.budgets.refusals == 0
    mission.saw(STOP, track=NEAR, bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


@pytest.mark.parametrize('case', [
    {'track': None}, {'track': FAR}, {'track': NEAR, 'pose': None},
    {'track': track(1.0, 0.8)}])
def test_stop_elsewhere_is_a_counted_refusal(case: dict[str, object]) -> None:
    mission = walk()
    mission.saw(STOP, **case)
    assert not mission.look.confirm
    assert mission.belief.budgets.refusals == 1
    assert mission.look.last_refusal is not None
    assert mission.look.last_refusal.code is Code.NOT_CONFIRMED


def test_stop_again_and_again_ends_the_mission() -> None:
    mission = walk(refusals_limit=3)
    for _ in range(3):
        mission.saw(STOP)
    assert mission.belief.outcome is Outcome.GAVE_UP


# Refusals

COUNTED = [code for code in Code if code not in WAITING_CODES and code not in (
    Code.OK, Code.BLOCKED, Code.NOTHING_LEFT, Code.SKIPPED)]


@pytest.mark.parametrize('code', COUNTED)
def test_refusal_leads_to_a_new_look_that_tells_of_it(code: Code) -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(refusal(code, 'because'))
    assert mission.look.last_refusal is not None
    assert (mission.look.last_refusal.code, mission.look.last_refusal.reason) == (code, 'because')
    assert mission.belief.rejection_reason == f'{code.value}: because'
    assert mission.belief.budgets.refusals == 1


def test_acceptance_clears_the_refusal() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(refusal())
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    assert mission.belief.rejection_reason == ''
    mission.verdict(ended(ActOutcome.LEG_DONE))
    assert mission.look.last_refusal is None
    assert mission.belief.budgets.refusals == 1


def test_three_refusals_in_a_row_lead_to_one_look_without_the_model() -> None:
    mission = walk()
    asked = []
    for _ in range(7):
        asked.append(mission.look.fallback_only)
        mission.saw(APPROACH)
        mission.verdict(refusal())
    assert asked == [False, False, False, True, False, False, True]


def test_acceptance_begins_the_row_anew() -> None:
    mission = walk()
    for _ in range(2):
        mission.saw(APPROACH)
        mission.verdict(refusal())
    mission.saw(APPROACH)
    mission.verdict(accepted())
    mission.verdict(ended(ActOutcome.LEG_DONE))
    for _ in range(2):
        assert not mission.look.fallback_only
        mission.saw(APPROACH)
        mission.verdict(refusal())
    assert not mission.look.fallback_only


def test_skipped_is_not_counted_and_changes_no_status() -> None:
    mission = walk()
    mission.remembers(candidate('n', score=0.9))
    assert mission.belief.status is Status.LIKELY_IN_MEMORY
    for _ in range(2):
        mission.saw(canonical('goto_node', node_id='n'))
        mission.verdict(refusal(Code.SKIPPED, 'visited', 'goto_node'))
    assert mission.belief.budgets.refusals == 0
    assert mission.belief.status is Status.LIKELY_IN_MEMORY
    assert mission.look.last_refusal is not None
    assert mission.look.last_refusal.code is Code.SKIPPED


def test_after_a_place_that_was_looked_at_the_search_goes_on_without_the_model() -> None:
    """The model has just said what it sees from here; asking it again would waste a look."""
    mission = walk()
    mission.remembers(candidate('n', score=0.9))
    mission.saw(canonical('goto_node', node_id='n'))
    mission.verdict(refusal(Code.SKIPPED, 'n was looked at meanwhile', 'goto_node'))
    assert mission.look.fallback_only
    mission.saw(EXPLORE)
    mission.verdict(accepted('explore'))
    mission.verdict(ended(action='explore'))
    assert not mission.look.fallback_only


@pytest.mark.parametrize('outcome', [ActOutcome.ABORTED, ActOutcome.CANCELLED])
def test_failed_drive_is_a_counted_refusal(outcome: ActOutcome) -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.verdict(ended(outcome, reason='stuck'))
    assert mission.belief.budgets.refusals == 1
    assert 'stuck' in mission.belief.rejection_reason
    assert mission.look.last_refusal is not None


def test_no_way_to_a_target_that_was_seen() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(refusal(Code.UNREACHABLE, 'behind glass'))
    assert mission.belief.status is Status.UNREACHABLE
    assert mission.look.belief_target_status is Status.UNREACHABLE
    mission.saw(APPROACH, track=FAR)
    mission.verdict(refusal(Code.UNREACHABLE, 'behind glass'))
    assert mission.belief.outcome is None, 'what closes the way may move on'
    mission.clock.advance(30.0)
    mission.saw(APPROACH, track=FAR)
    mission.verdict(refusal(Code.UNREACHABLE, 'behind glass'))
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason == ('the target was seen at (4.00, 0.00) from 2 places, but no '
                                     'way leads to it: behind glass')


@pytest.mark.parametrize('seen', [{'views': 1}, {'sure': False}])
def test_target_that_is_not_sure_is_rejected_where_no_way_leads_to_it(
        seen: dict[str, Any]) -> None:
    doubtful = track(4.0, 0.0, **seen)
    mission = walk()
    for _ in range(2):
        mission.saw(APPROACH, track=doubtful)
        mission.verdict(refusal(Code.UNREACHABLE, 'behind glass'))
        mission.clock.advance(30.0)
    assert rejected(mission) == [doubtful.id] and mission.belief.status is Status.SEARCHING


# A target that was seen is gone after

@pytest.mark.parametrize('proposal', [
    EXPLORE, canonical('rotate', rotate_rad=1.0), canonical('goto_node', node_id='n')])
def test_target_that_was_seen_is_gone_to_though_this_look_does_not_show_it(
        proposal: CanonicalHypothesis) -> None:
    mission = walk()
    mission.saw(proposal, track=FAR)
    assert (mission.act.track_id, mission.act.hypothesis_id) == (FAR.id, None)


def test_unsure_target_is_not_gone_to_unless_the_model_says_so() -> None:
    mission = walk()
    seen = mission.saw(EXPLORE, track=track(4.0, 0.0, sure=False))
    assert mission.act.hypothesis_id == seen.id


@pytest.mark.parametrize('how', ['refused', 'failed'])
def test_way_that_failed_is_tried_again_after_a_pause_or_a_sighting(how: str) -> None:
    mission = walk()
    mission.saw(EXPLORE, track=FAR)
    assert mission.act.track_id == FAR.id
    if how == 'refused':
        mission.verdict(of_track(refusal(Code.PATH_INVALID, 'no path')))
    else:
        mission.verdict(of_track(accepted()))
        mission.verdict(of_track(ended(ActOutcome.ABORTED)))
    for _ in range(2):
        mission.saw(EXPLORE, track=FAR)
        assert mission.act.track_id is None
        mission.verdict(accepted('explore'))
        mission.verdict(ended(action='explore'))
    again = replace(FAR, seen_ns=FAR.seen_ns + 1)
    mission.saw(EXPLORE, track=again)
    assert mission.act.track_id == FAR.id


def test_pause_until_the_next_try_grows_with_each() -> None:
    mission = walk(track_again_s=30.0)
    for pause_s in (30.0, 60.0, 90.0):
        mission.saw(EXPLORE, track=FAR)
        assert mission.act.track_id == FAR.id
        mission.verdict(of_track(refusal(Code.PATH_INVALID, 'no path')))
        mission.clock.advance(pause_s - 1.0)
        mission.saw(EXPLORE, track=FAR)
        assert mission.act.track_id is None
        mission.verdict(accepted('explore'))
        mission.clock.advance(1.0)
        mission.verdict(ended(action='explore'))


def test_missing_part_is_no_failed_way() -> None:
    mission = walk()
    for _ in range(2):
        mission.saw(EXPLORE, track=FAR)
        assert mission.act.track_id == FAR.id
        mission.verdict(of_track(refusal(Code.NAV_UNAVAILABLE, 'no planner')))
        mission.tick(2.1)


def test_way_is_asked_for_once_more_before_nothing_is_left() -> None:
    mission = walk()
    mission.saw(EXPLORE, track=FAR)
    mission.verdict(of_track(refusal(Code.PATH_INVALID, 'a door is shut')))
    mission.saw(EXPLORE, track=FAR)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.act.track_id == FAR.id
    mission.verdict(of_track(refusal(Code.PATH_INVALID, 'the door is shut')))
    mission.saw(EXPLORE, track=FAR)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason == (
        'nothing else is left: all seen; the target was seen at (4.00, 0.00), but not reached '
        '(PATH_INVALID: the door is shut)')


@pytest.mark.parametrize('action', ['explore', 'goto_node'])
def test_no_way_to_elsewhere_says_nothing_about_the_target(action: str) -> None:
    mission = walk()
    mission.saw(canonical(action, node_id='n'), track=FAR)
    mission.verdict(refusal(Code.UNREACHABLE, 'blocked', action))
    assert mission.belief.status is Status.VISIBLE


def test_very_long_reasons_are_cut_where_they_go_on() -> None:
    mission = walk()
    mission.saw(APPROACH)
    mission.verdict(refusal(Code.PATH_INVALID, 'x' * 2000))
    mission.saw(APPROACH)
    mission.verdict(accepted())
    mission.verdict(ended(ActOutcome.ABORTED, reason='x' * 2000))
    mission.saw(EXPLORE)
    mission.verdict(ended(ActOutcome.LEG_DONE, reason='x' * 2000))
    mission.no_picture('x' * 2000)
    mission.tick(3.0)
    mission.saw(canonical('explore', rationale='x' * 400))
    mission.verdict(refusal(Code.NOTHING_LEFT, 'x' * 2000, 'explore'))
    assert mission.belief.outcome is Outcome.NOT_HERE


# Waiting

@pytest.mark.parametrize('code', sorted(WAITING_CODES))
def test_missing_part_is_waited_for(code: Code) -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(refusal(code, 'gone'))
    assert mission.new_steps == []
    assert mission.belief.budgets.refusals == 0 and mission.belief.phase is Phase.LOOKING
    assert code.value in mission.belief.reason
    mission.tick(1.9)
    assert mission.new_steps == []
    mission.tick(0.2)
    assert mission.look.last_refusal is None, 'no other proposal would mend it'
    assert not mission.look.fallback_only


def test_missing_part_is_not_waited_for_for_ever() -> None:
    mission = walk(waits_limit=3)

    def wait_in_vain() -> None:
        mission.saw(APPROACH, track=FAR)
        mission.verdict(refusal(Code.NAV_UNAVAILABLE, 'no planner'))
        mission.tick(mission.config.blocked_wait_s)

    wait_in_vain()
    wait_in_vain()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.verdict(ended(ActOutcome.LEG_DONE))
    wait_in_vain()
    wait_in_vain()
    assert mission.belief.outcome is None, 'what is there again begins the row anew'
    wait_in_vain()
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason == (
        'a part was missing 3 times in a row; the last: NAV_UNAVAILABLE: no planner; the target '
        'was seen at (4.00, 0.00), but not reached')


def test_navigator_that_is_gone_is_waited_for_and_not_for_ever() -> None:
    mission = walk(waits_limit=3)
    for _ in range(3):
        assert mission.belief.outcome is None
        mission.saw(APPROACH, track=FAR)
        mission.verdict(accepted())
        mission.verdict(ended(ActOutcome.UNAVAILABLE))
        assert mission.new_steps == [] and mission.belief.budgets.refusals == 0
        mission.tick(mission.config.blocked_wait_s)
    assert mission.belief.outcome is Outcome.GAVE_UP


def test_drive_that_was_cut_short_for_what_was_missing_is_told_so_and_tried_again() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.verdict(ended(ActOutcome.UNAVAILABLE, reason='the pose is 1.1 s old',
                          code=Code.POSE_UNAVAILABLE))
    assert mission.belief.rejection_reason == 'POSE_UNAVAILABLE: the pose is 1.1 s old'
    assert mission.belief.budgets.refusals == 0
    mission.tick(2.1)
    assert mission.look


def test_look_without_a_picture_is_tried_again() -> None:
    mission = walk()
    first = mission.step.id
    mission.no_picture('no camera')
    assert mission.new_steps == [] and 'no camera' in mission.belief.reason
    mission.tick(2.1)
    assert mission.step.id != first and not mission.look.confirm
    assert mission.belief.budgets.model_calls == 0


def test_last_look_without_a_picture_stays_the_last_look() -> None:
    mission = at_the_stand_off()
    mission.no_picture()
    mission.tick(2.1)
    mission.saw(STOP, track=NEAR, bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


def test_taken_look_is_waited_for() -> None:
    mission = walk()
    mission.say(Look(True, '', 640, 480), cause=mission.step.id)
    assert mission.out == []
    mission.saw(APPROACH, track=FAR)
    assert mission.act


def test_model_that_does_not_answer_is_given_up_after_its_deadline() -> None:
    mission = walk()
    mission.say(Look(True, '', 640, 480), cause=mission.step.id)
    mission.tick(69.0)
    assert mission.new_steps == []
    mission.tick(1.5)
    assert mission.stopped and 'the hypothesis of the look' in mission.new_steps[0].reason


def test_look_that_nobody_takes_is_asked_for_again_soon() -> None:
    """Its step was lost, as between nodes that have not found each other yet."""
    mission = walk(part_wait_s=5.0)
    mission.tick(4.9)
    assert mission.new_steps == []
    mission.tick(0.2)
    assert mission.stopped and 'the picture of the look' in mission.new_steps[0].reason
    mission.tick(2.1)
    assert mission.look


def test_look_announced_after_its_hypothesis_changes_nothing() -> None:
    mission = walk()
    step = mission.step.id
    mission.hypothesis(APPROACH)
    mission.say(Look(True, '', 640, 480), cause=step)
    mission.tick(5.1)
    assert mission.stopped and 'the observation of the look' in mission.new_steps[0].reason


def test_hypothesis_that_the_verifier_does_not_hear_is_not_waited_for_long() -> None:
    mission = walk()
    mission.say(Look(True, '', 640, 480), cause=mission.step.id)
    mission.tick(30.0)
    mission.hypothesis(APPROACH)
    mission.tick(4.9)
    assert mission.new_steps == []
    mission.tick(0.2)
    assert mission.stopped and 'the observation of the look' in mission.new_steps[0].reason
    late = mission.steps[0].id
    mission.observation(track=FAR, step=late)
    assert mission.dropped == 1
    mission.tick(2.1)
    assert not mission.stopped and mission.look


def test_act_that_is_not_answered_expires() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    act = mission.step
    mission.tick(144.0)
    assert mission.new_steps == []
    mission.tick(2.0)
    assert mission.stopped
    mission.say(ended(), cause=act.id)
    assert mission.new_steps == [] and mission.dropped == 1
    mission.tick(2.1)
    assert not mission.look.confirm


def test_nobody_who_would_carry_out_a_step_is_waited_for() -> None:
    mission = Walk()
    mission.listeners('hypothesis', 'verifier')
    mission.goal()
    assert mission.steps == []
    assert 'hypothesis and verifier' in mission.belief.reason
    mission.tick(2.1)
    assert mission.steps == []
    mission.listeners()
    mission.tick(2.1)
    assert mission.look


@pytest.mark.parametrize('phase', ['look', 'half a look', 'act', 'drive', 'last look'])
def test_listener_that_leaves_ends_the_step(phase: str) -> None:
    mission = in_phase(phase)
    step = mission.step.id
    mission.listeners('verifier')
    assert mission.stopped and 'waiting for verifier' in mission.belief.reason
    mission.say(ended(), cause=step)
    mission.observation(step=step)
    mission.tick(2.1)
    assert mission.new_steps == []
    mission.listeners()
    mission.tick(2.1)
    assert mission.look.confirm == (phase == 'last look')


@pytest.mark.parametrize('phase', ['waiting', 'asking'])
def test_listener_that_leaves_between_steps_is_waited_for(phase: str) -> None:
    mission = in_phase(phase)
    mission.listeners('verifier')
    assert mission.new_steps == []
    if phase == 'asking':
        assert mission.belief.phase is Phase.ASKING
        mission.answer('the big one')
    mission.tick(2.1)
    assert mission.new_steps == [] and 'verifier' in mission.belief.reason
    mission.listeners()
    mission.tick(2.1)
    assert mission.look


# Cancelling and new goals

def in_phase(phase: str) -> Walk:
    mission = walk()
    if phase == 'waiting':
        mission.no_picture()
    elif phase == 'asking':
        mission.saw(ASK)
    elif phase == 'half a look':
        mission.hypothesis(APPROACH)
    elif phase in ('act', 'drive'):
        mission.saw(APPROACH, track=FAR)
        if phase == 'drive':
            mission.verdict(accepted())
    elif phase == 'last look':
        return at_the_stand_off()
    return mission


PHASES = ['look', 'half a look', 'waiting', 'asking', 'act', 'drive', 'last look']


@pytest.mark.parametrize('phase', PHASES)
def test_cancelling_ends_the_mission_and_stops_what_is_in_hand(phase: str) -> None:
    mission = in_phase(phase)
    mission.cancel()
    belief = mission.belief
    assert (belief.outcome, belief.phase) == (Outcome.CANCELLED, Phase.FINISHED)
    assert belief.question == '' and belief.next_action == ''
    # Between two steps too: the robot may still move of the last one.
    assert [step.kind for step in mission.new_steps] == [StepKind.STOP]
    # The drive ends before anybody is told that the mission did.
    assert [one.schema for one in mission.out] == ['step', 'belief', 'belief']
    for _ in range(100):
        mission.tick(10.0)
        assert mission.out == []


@pytest.mark.parametrize('phase', PHASES)
def test_new_goal_replaces_the_old_one(phase: str) -> None:
    mission = in_phase(phase)
    mission.remembers(candidate('n', score=0.9))
    old = mission.goal_id
    mission.goal('find a chair')
    assert mission.goal_id != old
    assert [step.kind for step in mission.new_steps] == [StepKind.STOP, StepKind.LOOK]
    outcomes = [(one.goal_id == old, one.body.outcome) for one in mission.out
                if one.schema == 'belief']
    assert outcomes == [(True, None), (True, Outcome.CANCELLED), (False, None)]
    belief = mission.belief
    assert (belief.status, belief.goal_text) == (Status.SEARCHING, 'find a chair')
    assert belief.candidate_nodes == () and belief.budgets.model_calls == 0


def test_documents_of_the_old_goal_are_dropped_and_counted() -> None:
    mission = walk()
    step, goal = mission.step.id, mission.goal_id
    mission.goal('find a chair')
    late = (observation(step, track=NEAR), accepted(), ended(), refusal(),
            candidates(candidate('n', score=0.9)), Look(False, 'no camera'))
    for number, body in enumerate(late, start=1):
        mission.say(body, cause=step, goal=goal)
        assert mission.out == [] and mission.dropped == number
    mission.hypothesis(APPROACH, step=step)
    assert mission.dropped == len(late) + 1 and mission.out == []


@pytest.mark.parametrize('ended_by', ['nothing', 'cancel'])
def test_documents_without_a_goal_in_hand_are_dropped_and_counted(ended_by: str) -> None:
    mission = Walk()
    if ended_by == 'cancel':
        mission.goal()
        mission.cancel()
    before = mission.belief if mission.beliefs else None
    for number, goal in enumerate((GOAL_ID, '', 'goal-other-7'), start=1):
        mission.say(candidates(candidate('n', score=0.9)), goal=goal)
        assert mission.out == [] and mission.dropped == number
    mission.drives_to(1.0, 0.0)
    mission.tick()
    assert mission.dropped == 3, 'where the robot is belongs to no goal'
    assert (mission.belief if mission.beliefs else None) == before


@pytest.mark.parametrize('goal', ['', 'goal-other-1'])
def test_documents_of_no_goal_and_of_others_are_dropped_and_counted(goal: str) -> None:
    mission = walk()
    step = mission.step.id
    for number, body in enumerate((
            Hypothesis(step, Source.MODEL, APPROACH, meta()), observation(step, track=NEAR),
            Look(False, 'no camera'), candidates(candidate('n', score=0.9))), start=1):
        mission.say(body, cause=step, goal=goal)
        assert mission.out == [] and mission.dropped == number
    mission.saw(APPROACH, track=FAR)
    mission.say(refusal(), cause=mission.step.id, goal=goal)
    assert mission.out == [] and mission.dropped == 5


def test_documents_of_an_old_step_are_dropped_and_counted() -> None:
    mission = walk()
    old = mission.step.id
    mission.saw(APPROACH, track=FAR)
    act = mission.step.id
    for number, body in enumerate((observation(old), accepted(), refusal(), ended(),
                                   Look(False, 'late')), start=1):
        mission.say(body, cause=old)
        assert mission.out == [] and mission.dropped == number
    assert mission.step.id == act


def test_what_answers_a_look_does_not_answer_an_act_nor_the_other_way_round() -> None:
    mission = walk()
    look = mission.step.id
    for body in (refusal(), ended(), accepted()):
        mission.say(body, cause=look)
        assert mission.out == []
    mission.saw(APPROACH, track=FAR)
    act = mission.step.id
    mission.say(Look(False, 'no camera'), cause=act)
    assert mission.out == []
    mission.hypothesis(APPROACH, step=act)
    mission.observation(track=FAR, step=act)
    assert mission.out == []
    assert mission.dropped == 6
    mission.verdict(accepted())
    mission.verdict(ended())
    assert mission.look.confirm


def test_second_hypothesis_of_a_look_is_dropped() -> None:
    mission = walk()
    first = mission.hypothesis(APPROACH)
    mission.hypothesis(EXPLORE)
    assert mission.dropped == 1
    mission.observation(track=FAR)
    assert mission.act.hypothesis_id == first.id
    assert mission.belief.budgets.model_calls == 1


def test_documents_that_the_belief_does_not_read_are_dropped() -> None:
    mission = walk()
    mission.say(mission.step.body)
    mission.say(mission.belief)
    assert mission.out == [] and mission.dropped == 2


# Words

@pytest.mark.parametrize(('text', 'why'), [
    ('', 'empty'), ('   ', 'empty'), ('x' * 10_000, '10000 characters'), ('a\x07b', 'U+0007'),
    ('mug \ud800', 'U+D800')])
def test_bad_goal_is_refused_with_a_reason(text: str, why: str) -> None:
    mission = Walk()
    mission.goal(text)
    belief = mission.belief
    assert (belief.phase, belief.outcome) == (Phase.FINISHED, Outcome.REFUSED)
    assert why in belief.reason and mission.steps == []
    assert not mission.ticking


def test_bad_goal_is_answered_each_time() -> None:
    mission = Walk()
    mission.goal('')
    mission.goal('')
    first, second = mission.beliefs
    assert first.goal_id != second.goal_id and second.body.outcome is Outcome.REFUSED


@pytest.mark.parametrize('phase', PHASES)
def test_bad_goal_leaves_a_running_mission_alone(phase: str) -> None:
    mission = in_phase(phase)
    steps, goal, before = len(mission.steps), mission.goal_id, mission.belief
    mission.goal('\x00')
    refused, running = mission.beliefs[-2:]
    assert refused.goal_id != goal and refused.body.outcome is Outcome.REFUSED
    assert running.goal_id == goal and running.body == before
    assert len(mission.steps) == steps
    mission.cancel()
    assert mission.goal_id == goal and mission.belief.outcome is Outcome.CANCELLED


def test_goal_is_stripped_and_shown_on_one_line() -> None:
    mission = Walk()
    mission.goal('  the red\N{NO-BREAK SPACE}mug  ')
    assert mission.belief.goal_text == 'the red mug'


def test_question_is_asked_and_answered() -> None:
    mission = walk()
    mission.saw(ASK)
    assert (mission.belief.phase, mission.belief.question) == (Phase.ASKING, 'Which one?')
    assert mission.new_steps == []
    mission.answer(' the big one ')
    assert mission.look and mission.belief.question == ''
    assert mission.step.body.goal_text == 'find the red mug (the big one)'
    assert mission.belief.goal_text == 'find the red mug (the big one)'


def test_what_was_found_under_other_words_is_seen_from_two_places() -> None:
    mission = walk()
    mission.say(candidates(replace(candidate('n', score=0.9), found_at=NEAR.position)))
    mission.saw(ASK)
    mission.answer('the big one')
    mission.saw(APPROACH, track=track(views=1))
    mission.verdict(accepted())
    mission.verdict(ended())
    mission.saw(APPROACH, track=track(views=1), bearing=0.0)
    assert mission.belief.outcome is None


def test_what_was_seen_under_other_words_is_not_gone_to() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.verdict(ended(ActOutcome.LEG_DONE))
    mission.saw(ASK, track=FAR)
    mission.answer('the big one')
    assert mission.belief.status is Status.SEARCHING
    mission.saw(EXPLORE, track=None)
    assert mission.act.track_id is None and mission.belief.status is Status.SEARCHING


def test_answer_survives_a_goal_as_long_as_one_may_be() -> None:
    mission = Walk()
    mission.goal('x' * 500)
    mission.saw(ASK)
    mission.answer('the big one')
    assert 'the big one' in mission.step.body.goal_text


def test_bad_answer_is_refused_and_the_question_stays_open() -> None:
    mission = walk()
    mission.saw(ASK)
    for text in ('', '\x00', 'x' * 10_000, '\ud800'):
        mission.answer(text)
        assert mission.belief.phase is Phase.ASKING and mission.belief.question == 'Which one?'
        assert 'answer was refused' in mission.belief.reason and mission.new_steps == []
    mission.answer('the big one')
    assert mission.look


def test_answer_to_no_question_is_dropped() -> None:
    mission = walk()
    mission.answer('the big one')
    assert mission.out == [] and mission.dropped == 1


def test_questions_have_a_limit() -> None:
    mission = walk(questions_limit=2)
    for _ in range(2):
        mission.saw(ASK)
        mission.answer('either')
    mission.saw(ASK)
    assert mission.belief.phase is Phase.LOOKING and mission.belief.budgets.refusals == 1


def test_mission_goes_on_without_an_answer() -> None:
    mission = walk(answer_wait_s=30.0)
    mission.saw(ASK)
    mission.tick(29.0)
    assert mission.belief.phase is Phase.ASKING
    mission.tick(2.0)
    assert mission.look and mission.belief.question == ''
    assert 'not answered within 30 s' in mission.belief.rejection_reason


def test_question_is_not_waited_for_forever() -> None:
    mission = walk(time_limit_s=100.0)
    mission.saw(ASK)
    mission.tick(101.0)
    assert mission.belief.outcome is Outcome.GAVE_UP and mission.belief.question == ''


# The memory

def test_candidates_are_shown_in_every_status() -> None:
    mission = walk()
    mission.remembers(candidate('a', score=0.1), candidate('b', score=0.05))
    assert mission.belief.candidate_nodes == (CandidateNode('a', 0.1), CandidateNode('b', 0.05))
    assert mission.belief.status is Status.SEARCHING
    mission.saw(APPROACH, track=FAR)
    mission.remembers(candidate('c', score=0.1))
    assert mission.belief.candidate_nodes == (CandidateNode('c', 0.1),)
    assert mission.belief.status is Status.VISIBLE


@pytest.mark.parametrize(('score', 'status'), [
    (0.6, Status.LIKELY_IN_MEMORY), (0.59, Status.SEARCHING)])
def test_threshold_makes_a_place_likely(score: float, status: Status) -> None:
    mission = walk()
    mission.remembers(candidate('a', score=0.1), candidate('b', score=score))
    assert mission.belief.status is status


def test_weaker_candidates_do_not_demote() -> None:
    mission = walk()
    mission.remembers(candidate('a', score=0.9))
    mission.remembers(candidate('a', score=0.1))
    assert mission.belief.status is Status.LIKELY_IN_MEMORY


@pytest.mark.parametrize(('nodes', 'looked_at', 'status'), [
    ((), (), Status.LIKELY_IN_MEMORY), ((), ('a',), Status.LIKELY_IN_MEMORY),
    ((), ('b', 'c'), Status.LIKELY_IN_MEMORY), ((), ('a', 'b'), Status.SEARCHING),
    (('c',), ('a', 'b'), Status.SEARCHING), (('b',), ('a',), Status.LIKELY_IN_MEMORY)])
def test_only_places_that_were_looked_at_are_disproved(
        nodes: tuple[str, ...], looked_at: tuple[str, ...], status: Status) -> None:
    """A memory that fails or begins anew says nothing of the places that it no longer names."""
    mission = walk()
    mission.remembers(candidate('a', score=0.9), candidate('c', score=0.1))
    mission.remembers(candidate('b', score=0.8))
    mission.remembers(*(candidate(one, score=0.7 if one == 'b' else 0.1) for one in nodes),
                      looked_at=looked_at)
    assert mission.belief.status is status


def test_places_that_were_disproved_do_not_hide_a_likely_one() -> None:
    mission = walk()
    mission.remembers(candidate('a', score=0.9))
    mission.remembers(looked_at=('a',))
    assert mission.belief.status is Status.SEARCHING
    mission.remembers(candidate('b', score=0.9), looked_at=('a',))
    assert mission.belief.status is Status.LIKELY_IN_MEMORY
    mission.remembers(looked_at=('a',))
    assert mission.belief.status is Status.LIKELY_IN_MEMORY, 'b was not looked at'


def test_retrieval_changes_nothing_once_the_target_was_seen() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    for nodes in ((candidate('a', score=1.0),), (), (candidate('a', score=0.0),)):
        mission.remembers(*nodes)
        assert mission.belief.status is Status.VISIBLE


def test_nothing_left_ends_the_search() -> None:
    mission = walk()
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all of it was looked at', 'explore'))
    assert mission.belief.outcome is Outcome.NOT_HERE
    assert 'all of it was looked at' in mission.belief.reason
    assert mission.new_steps == []


def test_what_was_looked_at_once_is_looked_at_again_before_the_search_ends() -> None:
    mission = walk(second_looks_share=0.9)
    mission.saw(EXPLORE, p_here=0.6)
    assert not mission.act.second_looks
    explored = mission.act.hypothesis_id
    mission.verdict(replace(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'),
                            hypothesis_id=explored))
    assert mission.act.second_looks and mission.act.hypothesis_id == explored
    mission.verdict(accepted('explore'))
    mission.verdict(ended(action='explore'))
    mission.saw(EXPLORE, p_here=0.4)
    assert mission.act.second_looks
    mission.verdict(accepted('explore'))
    mission.verdict(ended(action='explore'))
    mission.saw(EXPLORE, p_here=0.15)
    assert not mission.act.second_looks, 'it is not worth the way any more'
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen twice', 'explore'))
    assert mission.belief.outcome is Outcome.NOT_HERE and mission.belief.p_here == 0.15
    assert mission.belief.reason == (
        'looked everywhere: all seen twice; that it is here all the same: 15%')


@pytest.mark.parametrize(('likely', 'only_gaps'), [(0.1, True), (0.15, True), (0.6, False)])
def test_only_gaps_are_closed_where_the_target_is_likely_no_more(
        likely: float, only_gaps: bool) -> None:
    mission = walk()
    mission.saw(EXPLORE, p_here=likely)
    assert mission.act.only_gaps is only_gaps


@pytest.mark.parametrize('likely', [0.4, 1.0])
def test_target_that_may_be_here_still_is_not_said_not_to_be(likely: float) -> None:
    mission = walk()
    mission.saw(EXPLORE, p_here=likely)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP and mission.belief.p_here == likely
    assert f'that it is here all the same: {likely:.0%}' in mission.belief.reason


def test_look_that_cannot_tell_leaves_it_as_likely_as_it_was() -> None:
    mission = walk()
    mission.saw(EXPLORE, p_here=0.2)
    mission.verdict(accepted('explore'))
    mission.verdict(ended(action='explore'))
    mission.saw(EXPLORE, p_here=None)
    assert mission.belief.p_here == 0.2


def test_nobody_says_not_here_who_does_not_know_how_likely_that_is() -> None:
    mission = walk()
    mission.saw(EXPLORE, p_here=None)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP and mission.belief.p_here is None


def test_all_that_is_used_up_says_how_likely_the_target_is_here() -> None:
    mission = walk(time_limit_s=10.0)
    mission.saw(EXPLORE, p_here=0.5)
    mission.clock.advance(11.0)
    mission.tick()
    assert mission.belief.reason.endswith('; that it is here all the same: 50%')


def test_all_that_is_used_up_says_why_the_newest_look_tells_no_place() -> None:
    mission = walk(time_limit_s=10.0)
    mission.saw(APPROACH, pose=None, ungrounded_reason='the depth shows neither floor nor walls')
    mission.clock.advance(11.0)
    mission.tick()
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert '; the newest look tells no place: the depth shows neither' in mission.belief.reason


def test_second_looks_end_before_the_budget_does() -> None:
    mission = walk(second_looks_share=0.5, time_limit_s=100.0)
    mission.saw(EXPLORE, p_here=0.6)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.act.second_looks
    mission.verdict(accepted('explore'))
    mission.clock.advance(51.0)
    mission.verdict(ended(action='explore'))
    mission.saw(EXPLORE, p_here=0.5)
    assert not mission.act.second_looks
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP


@pytest.mark.parametrize(('spent', 'second'), [({}, True), ({'distance': 60.0}, False),
                                               ({'calls': 6}, False)])
def test_each_budget_bounds_the_second_looks(spent: dict[str, float], second: bool) -> None:
    mission = walk(second_looks_share=0.5, distance_limit_m=100.0, model_calls_limit=10)
    for number in range(int(spent.get('distance', 0)) + 1):
        mission.say(RobotPose(Pose2D(float(number), 0.0, 0.0), True, 0.0), goal='')
    for _ in range(int(spent.get('calls', 1)) - 1):
        mission.saw(EXPLORE)
        mission.verdict(accepted('explore'))
        mission.verdict(ended(action='explore'))
    mission.saw(EXPLORE, p_here=0.6)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert (mission.belief.outcome is None) is second


def test_remembered_places_are_visited_before_the_search_ends() -> None:
    mission = walk()
    mission.remembers(candidate('a', score=0.2), candidate('b', score=0.1))
    for node in ('a', 'b'):
        mission.saw(EXPLORE)
        mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
        assert mission.look.fallback_only and mission.belief.outcome is None
        mission.saw(canonical('goto_node', node_id=node), source=Source.FALLBACK,
                    answer=ModelAnswer.NOT_ASKED)
        mission.verdict(accepted('goto_node'))
        mission.verdict(ended(action='goto_node'))
        assert not mission.look.fallback_only
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.look.fallback_only
    mission.saw(EXPLORE, source=Source.FALLBACK, answer=ModelAnswer.NOT_ASKED)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.NOT_HERE
    assert mission.belief.budgets.refusals == 0


def test_nothing_left_is_not_said_of_a_target_that_was_lost_again() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.verdict(ended(ActOutcome.LEG_DONE))
    mission.saw(EXPLORE, track=None)
    assert mission.belief.status is Status.SEARCHING
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.belief.outcome is Outcome.NOT_HERE


def test_fallback_look_without_a_target_is_no_evidence_that_it_is_gone() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.verdict(ended(ActOutcome.LEG_DONE))
    mission.saw(EXPLORE, track=None, source=Source.FALLBACK, error='timeout')
    assert mission.belief.status is Status.VISIBLE


def test_fallback_look_is_no_evidence_that_it_is_there() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR, source=Source.FALLBACK, error='timeout')
    assert mission.belief.status is Status.SEARCHING


# Budgets

def test_time_is_limited() -> None:
    mission = walk(time_limit_s=60.0)
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.tick(60.0)
    assert mission.belief.outcome is None
    mission.tick(0.25)
    assert mission.belief.outcome is Outcome.GAVE_UP and 'time' in mission.belief.reason
    assert mission.stopped


def test_time_is_counted_on_the_steady_clock() -> None:
    mission = walk(time_limit_s=60.0)
    mission.clock.jump(-4000.0)
    mission.tick(1.0)
    mission.clock.jump(9000.0)
    mission.tick(1.0)
    assert mission.belief.outcome is None
    mission.cancel()
    assert mission.belief.budgets.time_s == 2.0


def test_distance_is_limited() -> None:
    mission = walk(distance_limit_m=10.0)
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    for x in range(11):
        mission.drives_to(float(x), 0.0)
        mission.tick()
        assert mission.belief.outcome is None
    mission.drives_to(10.5, 0.0)
    mission.tick()
    assert mission.belief.outcome is Outcome.GAVE_UP and 'distance' in mission.belief.reason
    assert mission.stopped


def test_jump_of_the_localisation_is_no_distance() -> None:
    mission = walk(distance_limit_m=10.0)
    for x in (0.0, 500.0, 0.0, 500.0):
        mission.drives_to(x, 0.0)
    mission.tick()
    assert mission.belief.outcome is None


def test_looks_say_what_is_left_of_the_model_calls() -> None:
    mission = walk(model_calls_limit=4)
    assert mission.look.model_calls_left == 4
    mission.hypothesis(EXPLORE, vlm_reply_count=3)
    mission.observation()
    mission.verdict(refusal())
    assert mission.look.model_calls_left == 1


def test_model_calls_are_limited() -> None:
    mission = walk(model_calls_limit=4)
    for _ in range(3):
        assert mission.look
        mission.saw(EXPLORE)
        mission.verdict(accepted('explore'))
        mission.verdict(ended(action='explore'))
    mission.hypothesis(EXPLORE, vlm_reply_count=3)
    mission.observation()
    mission.verdict(accepted('explore'))
    mission.verdict(ended(action='explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert 'model calls' in mission.belief.reason
    assert mission.belief.budgets.model_calls == 6


def test_look_without_the_model_is_no_model_call() -> None:
    mission = walk(model_calls_limit=1, unusable_looks_limit=1)
    for _ in range(5):
        mission.saw(EXPLORE, source=Source.FALLBACK, answer=ModelAnswer.NOT_ASKED)
        mission.verdict(accepted('explore'))
        mission.verdict(ended(action='explore'))
    assert mission.belief.outcome is None and mission.belief.budgets.model_calls == 0


def test_refusals_are_limited() -> None:
    mission = walk(refusals_limit=5)
    for _ in range(5):
        assert mission.belief.outcome is None
        mission.saw(APPROACH)
        mission.verdict(refusal(Code.COLLISION_DETECTED, 'a wall'))
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason == (
        '5 proposals were refused and 0 acts failed; the last: COLLISION_DETECTED: a wall'
        f'{LIKELY}')


def test_what_is_held_against_the_limit_is_named_by_its_kind() -> None:
    mission = at_the_stand_off(refusals_limit=3)
    mission.saw(EXPLORE, track=NEAR)
    mission.verdict(of_track(accepted()))
    mission.verdict(of_track(ended(ActOutcome.ABORTED, reason='stuck')))
    for _ in range(2):
        assert mission.belief.outcome is None
        mission.saw(STOP)
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason.startswith('2 proposals were refused and 1 acts failed; ')
    assert mission.belief.budgets.refusals == 3


def test_target_that_two_last_looks_do_not_show_at_its_place_is_rejected() -> None:
    """The verifier has given its track up; from afar the model may see it there again."""
    mission = at_the_stand_off()
    mission.saw(EXPLORE, track=None)
    assert rejected(mission) == [NEAR.id]
    mission.saw(EXPLORE, track=track(3.0, 0.0, id_='track-0'))
    assert mission.act.track_id == 'track-0', 'that was seen before'


def test_target_that_a_look_after_the_last_one_does_not_show_either_is_rejected() -> None:
    mission = at_the_stand_off()
    mission.saw(EXPLORE, track=NEAR)
    mission.verdict(of_track(accepted()))
    mission.verdict(of_track(ended(ActOutcome.LEG_DONE)))
    assert not mission.look.confirm
    mission.saw(EXPLORE, track=None)
    assert rejected(mission) == [NEAR.id]


def test_target_that_a_last_look_shows_elsewhere_is_gone_to() -> None:
    mission = at_the_stand_off(confirm_retries=0)
    mission.saw(APPROACH, track=track(3.0, 0.0, id_='track-2'), bearing=0.0)
    assert mission.act.track_id == 'track-2' and rejected(mission) == []
    mission.verdict(of_track(accepted()))
    mission.verdict(of_track(ended()))
    assert mission.look.confirm


def test_robot_that_stands_drives_no_way() -> None:
    mission = walk(distance_limit_m=10.0)
    for number in range(600):
        mission.clock.advance(1.0)
        mission.say(RobotPose(Pose2D(0.03 * (number % 2), 0.0, 0.0), True, 0.0, stands=True),
                    goal='')
    mission.cancel()
    assert mission.belief.budgets.distance_m == 0.0


def test_answers_of_no_use_end_the_mission() -> None:
    mission = walk(unusable_looks_limit=3)
    for number in range(3):
        assert mission.belief.outcome is None, number
        mission.saw(EXPLORE, source=Source.FALLBACK, answer=ModelAnswer.REFUSED,
                    error=GARBAGE)
        mission.verdict(accepted('explore'))
        mission.verdict(ended(action='explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert 'nothing usable in 3 looks' in mission.belief.reason
    assert mission.belief.reason.endswith(f'{GARBAGE}{LIKELY}')
    assert mission.belief.budgets.model_calls == 3


def test_one_good_answer_begins_the_row_of_those_of_no_use_anew() -> None:
    mission = walk(unusable_looks_limit=3)
    for number in range(8):
        if number % 3 == 2:
            mission.saw(EXPLORE)
        else:
            mission.saw(EXPLORE, source=Source.FALLBACK, answer=ModelAnswer.REFUSED,
                        error=GARBAGE)
        mission.verdict(accepted('explore'))
        mission.verdict(ended(action='explore'))
        assert mission.belief.outcome is None


# A model that is silent

def silent_look(mission: Walk, proposal: CanonicalHypothesis = EXPLORE, *,
                error: str = 'circuit_open', **fields: Any) -> None:
    mission.saw(proposal, source=Source.FALLBACK, error=error, **fields)


@pytest.mark.parametrize('error', ['timeout', 'circuit_open', 'connection_refused'])
def test_silent_model_uses_up_nothing_but_time(error: str) -> None:
    """While drives succeed, while they are refused, while nothing is left to drive to."""
    mission = walk(time_limit_s=900.0, model_calls_limit=1, unusable_looks_limit=1,
                   refusals_limit=1, waits_limit=2)
    answers = [accepted('explore'), refusal(Code.UNREACHABLE, 'a wall', 'explore'),
               refusal(Code.SKIPPED, 'visited', 'goto_node'),
               refusal(Code.NOTHING_LEFT, 'no view is left', 'explore')]
    number = 0
    while mission.belief.outcome is None:
        assert mission.clock.passed_s < 910.0
        if not mission.new_steps:
            mission.tick(2.1)
            continue
        assert not mission.look.fallback_only, 'the model may be back'
        silent_look(mission, error=error)
        mission.verdict(answers[number % 4])
        if number % 4 == 0:
            outcome = ActOutcome.ARRIVED if number % 8 else ActOutcome.ABORTED
            mission.verdict(ended(outcome, 'explore'))
        number += 1
    assert number > 100
    belief = mission.belief
    assert belief.outcome is Outcome.GAVE_UP
    assert belief.reason.startswith('the time is used up (900 s); the model has not answered for')
    assert belief.reason.endswith(f'{error}{LIKELY}')
    assert (belief.budgets.model_calls, belief.budgets.refusals) == (0, 0)


def test_nothing_left_without_a_model_does_not_say_that_the_target_is_not_here() -> None:
    mission = walk()
    silent_look(mission)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'no view is left', 'explore'))
    assert mission.belief.outcome is None and mission.new_steps == []
    assert mission.belief.reason.startswith('no answer of the model: circuit_open')
    mission.tick(2.1)
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'no view is left', 'explore'))
    assert mission.belief.outcome is Outcome.NOT_HERE


def test_mission_goes_on_when_the_model_is_back() -> None:
    mission = at_the_stand_off()
    for _ in range(200):
        silent_look(mission, APPROACH, track=NEAR)
        mission.tick(2.1)
    mission.saw(APPROACH, track=NEAR, bearing=0.0)
    assert mission.belief.outcome is Outcome.ARRIVED


def test_model_that_is_back_counts_as_before() -> None:
    mission = walk(refusals_limit=2)
    for _ in range(5):
        silent_look(mission)
        mission.verdict(refusal(Code.UNREACHABLE, 'a wall', 'explore'))
        mission.tick(2.1)
    for _ in range(2):
        assert mission.belief.outcome is None
        mission.saw(EXPLORE)
        mission.verdict(refusal(Code.UNREACHABLE, 'a wall', 'explore'))
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason.startswith('2 proposals were refused and 0 acts failed')
    assert 'the model' not in mission.belief.reason


def test_missing_part_is_told_from_a_silent_model() -> None:
    mission = walk(waits_limit=3)
    for _ in range(3):
        assert mission.belief.outcome is None
        silent_look(mission)
        mission.verdict(refusal(Code.MAP_UNAVAILABLE, 'no map', 'explore'))
        mission.tick(mission.config.blocked_wait_s)
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason.startswith('a part was missing 3 times in a row')


# What is published

def test_belief_is_published_when_it_changes_and_only_then() -> None:
    mission = walk()
    assert [one.schema for one in mission.out] == ['step', 'belief']
    mission.tick(1.0)
    mission.drives_to(0.1, 0.0)
    assert mission.out == []
    mission.remembers(candidate('a'))
    assert [one.schema for one in mission.out] == ['belief']
    mission.remembers(candidate('a'))
    assert mission.out == []


def test_ids_are_never_used_twice() -> None:
    mission = at_the_stand_off()
    mission.saw(EXPLORE, track=NEAR)
    mission.goal('another')
    ids = [one.id for one in (*mission.steps, *mission.beliefs)]
    assert len(ids) == len(set(ids))


def test_approach_is_asked_with_the_parameters() -> None:
    mission = walk(stale_after_s=30.0, start_within_s=5.0, drive_budget_s=50.0)
    mission.saw(approach(), track=FAR)
    act = mission.act
    assert (act.stale_after_s, act.start_within_s, act.drive_budget_s) == (30.0, 5.0, 50.0)
