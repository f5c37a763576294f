"""A slow model is not waited for at a view: the robot explores on while it answers."""

from dataclasses import replace
from typing import Any

import pytest
from belief_walk import Walk, walk
from builders import accepted, approach, canonical, ended, observation, refusal, track

from semantic_nav.contracts.documents import Look
from semantic_nav.contracts.vocabulary import ActOutcome, Code, ModelAnswer, Phase, Source

EXPLORE = canonical('explore')
NEAR, FAR = track(0.9, 0.0), track(4.0, 0.0)
SLOW_MS = 5000.0


def at_a_view(latency_ms: float = SLOW_MS, **config: Any) -> Walk:
    """Return a mission that has explored once, and was told how long the model takes."""
    mission = walk(**config)
    answer(mission, mission.step.id, latency_ms=latency_ms)
    arrives(mission)
    return mission


def arrives(mission: Walk) -> None:
    mission.verdict(accepted())
    mission.verdict(ended(action='explore'))


def answer(mission: Walk, step: str, proposal: Any = EXPLORE, *, held: Any = None,
           latency_ms: float = SLOW_MS) -> str:
    """Let the model answer a look; returns the id of its hypothesis."""
    hypothesis = mission.hypothesis(proposal, step=step, vlm_latency_ms=latency_ms)
    mission.say(observation(step, track=held), cause=hypothesis.id)
    return hypothesis.id


def taken(mission: Walk) -> str:
    """Let the picture of the look in hand be taken; returns the step of that look."""
    step = mission.step.id
    mission.say(Look(True, inform=mission.look.inform), cause=step)
    return step


def going_on(**config: Any) -> tuple[Walk, str]:
    """Return a mission that drives on while a look is answered, and the step of that look."""
    mission = at_a_view(**config)
    step = taken(mission)
    mission.verdict(accepted())
    return mission, step


def test_robot_goes_on_once_the_picture_is_taken() -> None:
    mission = at_a_view()
    assert mission.look.inform and mission.belief.phase is Phase.LOOKING
    taken(mission)
    assert mission.act.hypothesis_id is not None and mission.belief.phase is Phase.DRIVING


@pytest.mark.parametrize(('latency_ms', 'limit_s'), [(800.0, 2.0), (SLOW_MS, 6.0)])
def test_model_that_is_fast_enough_is_waited_for(latency_ms: float, limit_s: float) -> None:
    mission = at_a_view(latency_ms, slow_answer_s=limit_s)
    assert not mission.look.inform
    taken(mission)
    assert mission.new_steps == []


def test_robot_waits_where_no_picture_is_taken() -> None:
    mission = at_a_view()
    mission.no_picture()
    assert mission.new_steps == []
    mission.tick(2.1)
    assert not mission.look.inform


def test_answer_without_the_target_does_not_end_the_drive() -> None:
    mission, step = going_on()
    newest = answer(mission, step)
    assert mission.new_steps == [] and mission.belief.phase is Phase.DRIVING
    mission.verdict(ended(action='explore'))
    assert mission.look.inform
    taken(mission)
    assert mission.act.hypothesis_id == newest, 'on as the newest answer says'


def test_target_that_was_seen_takes_the_place_of_the_drive() -> None:
    mission, step = going_on()
    answer(mission, step, approach(), held=FAR)
    assert mission.act.track_id == FAR.id


def test_target_that_is_not_sure_is_gone_nearer_to() -> None:
    mission, step = going_on()
    seen = answer(mission, step, approach(), held=replace(FAR, sure=False))
    assert mission.act.hypothesis_id == seen


def test_remembered_place_takes_the_place_of_the_drive() -> None:
    mission, step = going_on()
    told = answer(mission, step, canonical('goto_node', node_id='a'))
    assert mission.act.hypothesis_id == told


@pytest.mark.parametrize('proposal', [canonical('rotate', rotate_rad=1.0),
                                      canonical('stop', seen='visible'), approach()])
def test_what_is_good_only_where_the_picture_was_taken_does_not_end_the_drive(
        proposal: Any) -> None:
    mission, step = going_on()
    answer(mission, step, proposal)
    assert mission.new_steps == [] and mission.belief.phase is Phase.DRIVING


def test_question_stops_the_robot() -> None:
    mission, step = going_on()
    answer(mission, step, canonical('ask_clarification', seen='ambiguous',
                                    clarification_question='Which?'))
    assert mission.stopped and mission.belief.question == 'Which?'


def test_robot_that_arrives_first_waits_for_the_answer_and_looks_there() -> None:
    mission, step = going_on(looks_under_way=1)
    mission.verdict(ended(action='explore'))
    assert mission.new_steps == [] and mission.belief.phase is Phase.LOOKING
    answer(mission, step)
    assert mission.look.inform, 'nobody has looked here'


def test_robot_that_arrives_first_goes_to_what_was_seen() -> None:
    mission, step = going_on(looks_under_way=1)
    mission.verdict(ended(action='explore'))
    answer(mission, step, approach(), held=FAR)
    assert mission.act.track_id == FAR.id


def test_answer_decides_where_the_act_beside_it_is_refused() -> None:
    mission = at_a_view()
    step = taken(mission)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    assert mission.new_steps == [] and mission.belief.outcome is None
    assert mission.belief.budgets.refusals == 0
    newest = answer(mission, step)
    assert mission.act.hypothesis_id == newest


def test_answer_that_does_not_come_is_given_up_without_ending_the_drive() -> None:
    mission, _ = going_on(look_deadline_s=5.0)
    mission.tick(15.5)
    assert mission.new_steps == [] and mission.belief.phase is Phase.DRIVING
    mission.verdict(ended(action='explore'))
    assert mission.look.inform


def test_model_that_falls_silent_on_the_way_is_waited_for() -> None:
    mission, step = going_on()
    mission.hypothesis(EXPLORE, source=Source.FALLBACK, step=step, answer=ModelAnswer.SILENT,
                       error='timeout')
    mission.say(observation(step, source=Source.FALLBACK))
    assert mission.new_steps == []
    mission.verdict(ended(action='explore'))
    assert not mission.look.inform


def test_robot_stands_at_its_last_look() -> None:
    mission, step = going_on()
    answer(mission, step, approach(), held=NEAR)
    mission.verdict(accepted())
    mission.verdict(ended())
    assert mission.look.confirm and not mission.look.inform


def test_answers_after_a_stop_are_dropped() -> None:
    mission, step = going_on()
    mission.pause()
    dropped = mission.dropped
    answer(mission, step, approach(), held=FAR)
    assert mission.dropped == dropped + 2 and mission.belief.phase is Phase.PAUSED


def test_second_answer_to_a_look_on_the_way_is_dropped() -> None:
    mission, step = going_on()
    answer(mission, step)
    answer(mission, step, approach(), held=FAR)
    assert mission.new_steps == [] and mission.dropped == 2


def test_picture_that_is_too_old_for_another_act_lets_the_robot_wait() -> None:
    mission = walk(stale_after_s=30.0, start_within_s=10.0)
    answer(mission, mission.step.id)
    mission.verdict(accepted())
    mission.tick(25.0)
    mission.verdict(ended(action='explore'))
    assert not mission.look.inform


@pytest.mark.parametrize(('outcome', 'code'), [
    (ActOutcome.ABORTED, None), (ActOutcome.UNAVAILABLE, Code.NAV_UNAVAILABLE),
    (ActOutcome.CANCELLED, None)])
def test_answer_to_a_look_on_the_way_counts_where_the_drive_ends_badly(
        outcome: ActOutcome, code: Code | None) -> None:
    mission, step = going_on()
    issued = len(mission.steps)
    mission.verdict(ended(outcome, action='explore', code=code))
    assert mission.belief.phase is Phase.LOOKING and len(mission.steps) == issued
    assert mission.belief.budgets.refusals == (code is None)
    answer(mission, step, approach(), held=FAR)
    assert mission.belief.phase is Phase.DRIVING and mission.act.track_id == FAR.id


def test_drive_that_ends_badly_is_looked_from_where_the_answer_shows_nothing() -> None:
    mission, step = going_on()
    mission.verdict(ended(ActOutcome.ABORTED, action='explore'))
    answer(mission, step)
    assert mission.belief.phase is Phase.LOOKING and mission.step.id != step


def test_answer_that_never_comes_is_given_up_after_a_drive_that_ended_badly() -> None:
    mission, _ = going_on()
    mission.verdict(ended(ActOutcome.ABORTED, action='explore'))
    mission.tick(75.0)
    mission.tick(5.0)
    assert mission.belief.phase is Phase.LOOKING and mission.look is not None


# The model has more than one look before it

def at_the_next(**config: Any) -> tuple[Walk, str, str]:
    """Return a mission that drives on while two looks are answered, and their steps."""
    mission, first = going_on(**config)
    mission.verdict(ended(action='explore'))
    second = taken(mission)
    mission.verdict(accepted())
    return mission, first, second


def test_robot_that_arrives_first_looks_there_and_goes_on() -> None:
    mission, first, second = at_the_next()
    assert mission.belief.phase is Phase.DRIVING
    newest = [answer(mission, step) for step in (first, second)][-1]
    assert mission.new_steps == [] and mission.dropped == 0
    mission.verdict(ended(action='explore'))
    taken(mission)
    assert mission.act.hypothesis_id == newest


def test_robot_waits_where_the_model_has_looks_enough_before_it() -> None:
    mission, first, _ = at_the_next()
    mission.verdict(ended(action='explore'))
    assert mission.new_steps == [] and mission.belief.phase is Phase.LOOKING
    answer(mission, first)
    assert mission.look.inform and len(mission.new_steps) == 1, 'one of two is answered'
    taken(mission)
    assert mission.belief.phase is Phase.DRIVING


@pytest.mark.parametrize('config', [
    {'looks_under_way': 1}, {'look_deadline_s': 19.0}, {'model_calls_limit': 9}])
def test_no_second_look_is_taken_that_the_model_may_not_have(config: dict[str, Any]) -> None:
    mission, _ = going_on(**config)
    mission.verdict(ended(action='explore'))
    assert mission.new_steps == [] and mission.belief.phase is Phase.LOOKING


def test_looks_that_are_not_waited_for_share_the_calls_that_are_left() -> None:
    assert at_a_view().look.model_calls_left == 8
    mission, _ = going_on(model_calls_limit=12)
    mission.verdict(ended(action='explore'))
    assert mission.look.model_calls_left == 12 - 1 - 8


@pytest.mark.parametrize('which', [0, 1])
def test_target_in_either_of_the_pictures_is_gone_to(which: int) -> None:
    mission, *steps = at_the_next()
    answer(mission, steps[which], approach(), held=FAR)
    act = mission.step
    assert mission.act.track_id == FAR.id
    answer(mission, steps[1 - which], approach(), held=FAR)
    assert mission.step is act and mission.dropped == 0, 'the way to it is not begun anew'


def test_robot_that_explores_does_not_wait_for_a_target_that_leads_nowhere() -> None:
    mission, step = going_on()
    answer(mission, step, held=replace(FAR, sure=False))
    mission.verdict(ended(action='explore'))
    assert mission.look.inform


def test_look_that_is_answered_on_the_way_to_the_target_does_not_delay_the_last_look() -> None:
    mission, first, _ = at_the_next()
    answer(mission, first, approach(), held=NEAR)
    mission.verdict(accepted())
    mission.verdict(ended())
    assert mission.look.confirm


def test_target_is_better_than_a_remembered_place() -> None:
    mission, first, second = at_the_next()
    answer(mission, first, canonical('goto_node', node_id='a'))
    go = mission.step
    answer(mission, second, canonical('goto_node', node_id='b'))
    assert mission.step is go
    mission, first, second = at_the_next()
    answer(mission, first, canonical('goto_node', node_id='a'))
    answer(mission, second, approach(), held=FAR)
    assert mission.act.track_id == FAR.id


def test_all_answers_are_waited_for_where_the_act_after_them_is_refused() -> None:
    mission = at_a_view()
    first = taken(mission)
    mission.verdict(accepted())
    mission.verdict(ended(action='explore'))
    second = taken(mission)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'all seen', 'explore'))
    answer(mission, first)
    assert mission.new_steps == [] and mission.belief.phase is Phase.LOOKING
    newest = answer(mission, second)
    assert mission.act.hypothesis_id == newest, 'from where its picture was taken'


def test_answers_in_another_order_both_count() -> None:
    mission, first, second = at_the_next()
    mission.verdict(ended(action='explore'))
    answer(mission, second)
    assert mission.belief.phase is Phase.LOOKING and mission.new_steps == []
    answer(mission, first)
    assert mission.look.inform and mission.dropped == 0


def test_answer_before_the_next_picture_may_change_the_way() -> None:
    mission, first = going_on()
    mission.verdict(ended(action='explore'))
    assert mission.look.inform and mission.belief.phase is Phase.LOOKING
    second = mission.step.id
    answer(mission, first, approach(), held=FAR)
    assert mission.act.track_id == FAR.id
    answer(mission, second, approach(), held=FAR)
    assert mission.belief.budgets.model_calls == 3 and mission.new_steps == []


def test_robot_without_a_next_picture_waits_for_the_answer_to_the_one_before() -> None:
    mission, first = going_on()
    mission.verdict(ended(action='explore'))
    mission.no_picture()
    assert mission.new_steps == [] and mission.belief.phase is Phase.LOOKING
    answer(mission, first)
    assert mission.look.inform, 'here nobody has looked'


def test_calls_of_an_answer_that_comes_twice_count_once() -> None:
    mission, first = going_on()
    for _ in range(2):
        mission.hypothesis(EXPLORE, step=first, vlm_latency_ms=SLOW_MS)
    assert mission.belief.budgets.model_calls == 2 and mission.dropped == 1


def test_observation_that_does_not_follow_on_the_answer_is_given_up_soon() -> None:
    mission, first = going_on(part_wait_s=5.0)
    mission.hypothesis(EXPLORE, step=first, vlm_latency_ms=SLOW_MS)
    mission.tick(5.5)
    mission.verdict(ended(action='explore'))
    taken(mission)
    mission.verdict(accepted())
    mission.verdict(ended(action='explore'))
    assert mission.look.inform and mission.new_steps, 'only one look is under way'


def test_observation_that_comes_first_is_kept_while_the_robot_waits() -> None:
    mission, first = going_on(looks_under_way=1)
    mission.say(observation(first))
    mission.verdict(ended(action='explore'))
    assert mission.new_steps == []
    mission.hypothesis(EXPLORE, step=first, vlm_latency_ms=SLOW_MS)
    assert mission.look.inform


def test_question_does_not_end_the_way_to_a_remembered_place() -> None:
    mission, first, second = at_the_next()
    answer(mission, first, canonical('goto_node', node_id='a'))
    answer(mission, second, canonical('ask_clarification', seen='ambiguous',
                                      clarification_question='Which?'))
    assert not mission.stopped and mission.belief.phase is Phase.DRIVING


def test_looks_beside_the_act_that_an_awaited_answer_leads_to_are_kept() -> None:
    mission, first, second = at_the_next()
    mission.verdict(ended(action='explore'))
    answer(mission, first, approach(), held=FAR)
    assert mission.act.track_id == FAR.id
    answer(mission, second)
    assert mission.dropped == 0 and mission.belief.phase is Phase.DRIVING


def test_refused_approach_is_not_put_off_for_answers() -> None:
    mission, first, _ = at_the_next()
    answer(mission, first, approach(), held=FAR)
    mission.verdict(refusal(Code.UNREACHABLE, 'no clear pose'))
    assert mission.new_steps and not mission.look.inform


# Another camera has the next view from here

def test_next_look_goes_through_the_camera_that_the_result_names() -> None:
    mission = walk()
    mission.saw()
    mission.verdict(refusal())
    mission.saw()
    mission.verdict(ended(action='explore', camera='left'))
    assert mission.look.camera == 'left' and not mission.look.inform
    assert mission.look.last_refusal is None and mission.belief.rejection_reason == ''
    mission.saw()
    mission.verdict(accepted())
    mission.verdict(ended(action='explore'))
    assert mission.look.camera == '', 'a robot that has driven looks ahead'


def test_slow_model_is_not_waited_for_at_the_view_of_another_camera() -> None:
    mission = walk()
    answer(mission, mission.step.id)
    mission.verdict(ended(action='explore', camera='left'))
    assert (mission.look.camera, mission.look.inform) == ('left', True)


def test_other_camera_looks_once_the_look_in_hand_is_answered() -> None:
    mission, step = going_on(looks_under_way=1)
    mission.verdict(ended(action='explore', camera='left'))
    assert mission.new_steps == [] and mission.belief.phase is Phase.LOOKING
    answer(mission, step)
    assert mission.look.camera == 'left'


def test_what_the_look_in_hand_shows_comes_before_another_camera() -> None:
    mission, step = going_on(looks_under_way=1)
    mission.verdict(ended(action='explore', camera='left'))
    answer(mission, step, approach(), held=FAR)
    assert mission.act.track_id == FAR.id


def test_look_after_one_without_a_picture_goes_through_the_first_camera() -> None:
    mission = walk()
    mission.saw()
    mission.verdict(ended(action='explore', camera='left'))
    mission.no_picture()
    mission.tick(2.1)
    assert mission.look.camera == ''
